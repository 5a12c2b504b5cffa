// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// The touched rows of two lists, and which of them are the same object's.
struct RowPairs {
  let old: Side
  let new: Side
  /// For each touched row of the old list the place of its object among those of the new one, or -1.
  let partners: [Int]

  init(_ rows: TouchedRows, _ old: ResultsList, _ new: ResultsList) {
    self.old = Side(rows.old, of: old)
    self.new = Side(rows.new, of: new)
    partners = self.old.partners(in: self.new)
  }

  /// The objects of all touched rows.
  var references: Set<ObjectReference> {
    Set(old.rows.map { old.list.references[$0] }).union(new.rows.map { new.list.references[$0] })
  }

  /// Whether a touched row of the old list has the same untouched rows before it as its partner.
  func isBetweenTheSameRows(_ place: Int) -> Bool {
    old.rows[place] - place == new.rows[partners[place]] - partners[place]
  }

  /// The touched rows of one list.
  struct Side {
    let list: ResultsList
    /// Their places in the whole list, ascending.
    let rows: [Int]
    /// Their sections.
    let sections: [Int]

    fileprivate init(_ rows: [Int], of list: ResultsList) {
      self.list = list
      self.rows = rows
      sections = list.sectionPlaces(ofRows: rows)
    }

    func reference(_ place: Int) -> ObjectReference { list.references[rows[place]] }

    func rowInSection(_ place: Int) -> Int {
      rows[place] - list.sections[sections[place]].range.lowerBound
    }

    func path(_ place: Int) -> IndexPath {
      .row(rowInSection(place), inSection: sections[place])
    }

    fileprivate func partners(in other: Side) -> [Int] {
      if rows.count == 1, other.rows.count == 1 {
        return [reference(0) == other.reference(0) ? 0 : -1]
      }
      var places: [ObjectReference: Int] = [:]
      places.reserveCapacity(other.rows.count)
      for place in other.rows.indices { places[other.reference(place)] = place }
      return rows.indices.map { places[reference($0)] ?? -1 }
    }
  }
}

extension ResultsList {
  /// The sections of some rows, which ascend.
  func sectionPlaces(ofRows rows: some Sequence<Int>) -> [Int] {
    var section = 0
    return rows.map { row in
      while sections[section].range.upperBound <= row { section += 1 }
      return section
    }
  }
}
