// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

@testable import PerennialGraph

/// What must hold for any change of results, found without the algorithm.
struct ResultsOracle {
  let change: ResultsChange
  let changed: Set<ObjectReference>
  /// Whether only changed objects move, come and go.
  let isExplained: Bool

  /// The first thing that does not hold.
  func failure() -> String? {
    if !Self.areDistinct(change.deletions + change.moves.map(\.from) + change.updates.map(\.from)) {
      return "a row of the old list is named twice"
    }
    if !Self.areDistinct(change.insertions + change.moves.map(\.to) + change.updates.map(\.to)) {
      return "a row of the new list is named twice"
    }
    return sectionFailure() ?? rowFailure() ?? keptSections().lazy.compactMap(moveFailure).first
  }

  private static func areDistinct(_ paths: [IndexPath]) -> Bool { Set(paths).count == paths.count }

  private func sectionFailure() -> String? {
    if isExplained {
      // Sections keep their order: those that are in both lists stay.
      let (old, new) = (change.before.sections.map(\.name), change.after.sections.map(\.name))
      let gone = old.indices.filter { !new.contains(old[$0]) }
      let come = new.indices.filter { !old.contains(new[$0]) }
      if change.deletedSections != IndexSet(gone) { return "the deleted sections are wrong" }
      if change.insertedSections != IndexSet(come) { return "the inserted sections are wrong" }
    }
    return nil
  }

  private func rowFailure() -> String? {
    let (old, new) = (Set(change.before.objectIDs), Set(change.after.objectIDs))
    if Set(change.deletions.map { change.before[$0] })
      != Set(old.subtracting(new).map(Optional.some))
    {
      return "the deletions are wrong"
    }
    if Set(change.insertions.map { change.after[$0] })
      != Set(new.subtracting(old).map(Optional.some))
    {
      return "the insertions are wrong"
    }
    if change.deletions != change.deletions.sorted(by: >)
      || change.insertions != change.insertions.sorted()
      || change.moves.map(\.from) != change.moves.map(\.from).sorted()
      || change.updates.map(\.from) != change.updates.map(\.from).sorted()
    {
      return "the order of the events is wrong"
    }
    return updateFailure(old.intersection(new))
  }

  private func updateFailure(_ survivors: Set<ManagedObjectID>) -> String? {
    let list = change.before.list
    let changedIDs = Set(changed.map(list.objectID(of:))).intersection(survivors)
    let updated = Set(change.updates.compactMap { change.before[$0.from] })
    let moved = Set(change.moves.compactMap { change.before[$0.from] })
    if updated.union(moved).isSuperset(of: changedIDs), updated.isSubset(of: changedIDs) {
      return nil
    }
    return "a changed object is not reported, or an update is of one that did not change"
  }

  /// Sections of both lists that stay, by their places.
  private func keptSections() -> [(old: Int, new: Int)] {
    let old = change.before.sections.indices.filter { !change.deletedSections.contains($0) }
    let new = change.after.sections.indices.filter { !change.insertedSections.contains($0) }
    return Array(zip(old, new))
  }

  /// Within a section that stays, no move has equal rows, and no fewer rows could move.
  private func moveFailure(_ section: (old: Int, new: Int)) -> String? {
    let moves = change.moves.filter { $0.from[0] == section.old && $0.to[0] == section.new }
    if moves.contains(where: { $0.from[1] == $0.to[1] }) { return "a move has equal places" }
    let survivors = survivors(section)
    guard survivors.count <= 10 else { return nil }
    let fixed = survivors.filter { $0.isFixed }
    guard Self.increases(fixed.map(\.target)) else { return nil }
    let free = survivors.indices.filter { !survivors[$0].isFixed }
    var most = 0
    for chosen in 0..<(1 << free.count) {
      let places = survivors.indices.filter { place in
        free.firstIndex(of: place).map { chosen >> $0 & 1 == 1 } ?? true
      }
      if places.count > most, Self.increases(places.map { survivors[$0].target }) {
        most = places.count
      }
    }
    let least = survivors.count - most
    return moves.count == least ? nil : "\(moves.count) rows move, \(least) would do"
  }

  private struct Survivor {
    let target: Int
    /// Whether the object must stay: it did not change, or a move would have equal places.
    let isFixed: Bool
  }

  private func survivors(_ section: (old: Int, new: Int)) -> [Survivor] {
    let old = change.before.list
    let new = change.after.list
    let newRows = Array(new.references[new.sections[section.new].range])
    return old.references[old.sections[section.old].range].enumerated().compactMap {
      row,
      reference in
      newRows.firstIndex(of: reference).map {
        Survivor(target: $0, isFixed: $0 == row || !changed.contains(reference))
      }
    }
  }

  private static func increases(_ values: [Int]) -> Bool {
    zip(values, values.dropFirst()).allSatisfy(<)
  }
}
