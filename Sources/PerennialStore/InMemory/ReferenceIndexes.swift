// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import Synchronization

/// Which rows of a state lead to which, by the to-one relationship that leads there.
///
/// A relationship is indexed when somebody first follows it backwards. States with the same rows share
/// their indexes, so that what a reader has made is there for the next one; a state that changes its
/// rows takes a copy first, which then follows them. So a fault in a store of a hundred thousand rows
/// costs what it costs in one of a hundred.
///
/// Invariant: an index that is there has every row of the states that share it.
final class ReferenceIndexes: Sendable {
  /// A to-one relationship: the entity that declares it, and its slot there and in all subentities.
  struct Place: Hashable, Sendable {
    let entity: Int
    let slot: Int
  }

  private struct Index {
    let place: Place
    var rows: PairTable
  }

  private let indexes: Mutex<[Index]>

  init() { indexes = Mutex([]) }

  private init(_ indexes: [Index]) { self.indexes = Mutex(indexes) }

  /// Indexes that no other state shares.
  func copy() -> ReferenceIndexes { ReferenceIndexes(indexes.withLock { $0 }) }

  var isEmpty: Bool { indexes.withLock(\.isEmpty) }

  /// Whether a relationship is indexed.
  func contains(_ place: Place) -> Bool {
    indexes.withLock { $0.contains { $0.place == place } }
  }

  /// The rows of a relationship by what they lead to; they are indexed if they are not yet.
  func rows(_ place: Place, make: () -> PairTable) -> PairTable {
    indexes.withLock { indexes in
      if let index = indexes.first(where: { $0.place == place }) { return index.rows }
      let index = Index(place: place, rows: make())
      indexes.append(index)
      return index.rows
    }
  }

  /// Takes a row that goes out of the indexes, and the one that comes in its place into them.
  func replace(_ old: PageRow?, _ new: PageRow?, in model: ModelLayout) {
    indexes.withLock { indexes in
      for number in indexes.indices {
        let place = indexes[number].place
        let family = model.entities[place.entity].family
        let (gone, come) = (old?.pair(place, family), new?.pair(place, family))
        if gone == come { continue }
        if let gone { indexes[number].rows.remove(gone) }
        if let come { indexes[number].rows.insert(come) }
      }
    }
  }
}

extension PageRow {
  /// What a row leads to, and its key; `nil` when it leads nowhere.
  func pair(_ place: ReferenceIndexes.Place, _ family: Range<Int>) -> PairTable.Pair? {
    guard family.contains(entity), !PackedRow.isNull(pointer, place.slot) else { return nil }
    return PairTable.Pair(first: PackedRow.reference(pointer, place.slot).key, second: key)
  }
}
