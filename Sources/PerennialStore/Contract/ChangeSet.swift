// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Everything that one save writes: complete row images and the pairs of links.
///
/// Keys are those of the store; a set names no temporary key. A set that is given again after a
/// failure keeps its identifier, also when it has been made anew: so a store can tell rows that it
/// has written before from equal ones that somebody else has.
package struct ChangeSet: Sendable {
  /// New rows of one concrete entity, of version 1, or of a higher one when a deleted row comes back.
  package struct Insertion: Sendable {
    package let entity: Int
    package let pages: [RowPage]

    package init(entity: Int, pages: [RowPage]) {
      self.entity = entity
      self.pages = pages
    }
  }

  /// Changed rows of one concrete entity.
  ///
  /// An image carries the version that the row will have: the expected one plus one. The stored
  /// row must have the expected version, else there is a conflict.
  package struct Update: Sendable {
    package let entity: Int
    /// The slots to write, ascending, without transient ones; empty to raise the version only.
    package let slots: [Int]
    package let pages: [RowPage]

    package init(entity: Int, slots: [Int], pages: [RowPage]) {
      self.entity = entity
      self.slots = slots
      self.pages = pages
    }
  }

  /// Rows of one concrete entity that go.
  package struct Deletion: Sendable {
    package struct Row: Sendable {
      package let key: Int64
      /// The version that the stored row must have; a row that is already gone is no conflict.
      package let version: UInt32

      package init(key: Int64, version: UInt32) {
        self.key = key
        self.version = version
      }
    }

    package let entity: Int
    package let rows: [Row]

    package init(entity: Int, rows: [Row]) {
      self.entity = entity
      self.rows = rows
    }
  }

  /// Pairs that a link gains and loses.
  ///
  /// A store ignores a pair that it already has or lacks, and drops the pairs of deleted rows by
  /// itself.
  package struct LinkChange: Sendable {
    package struct Pair: Sendable, Hashable {
      package let first: Int64
      package let second: Int64

      package init(first: Int64, second: Int64) {
        self.first = first
        self.second = second
      }
    }

    package let link: Int
    package let added: [Pair]
    package let removed: [Pair]

    package init(link: Int, added: [Pair], removed: [Pair]) {
      self.link = link
      self.added = added
      self.removed = removed
    }
  }

  /// The order of the members of an owner in an ordered relationship.
  ///
  /// It applies after links and slots have been written. Members that are not named follow in
  /// their old order.
  package struct OrderChange: Sendable {
    package let relationship: RelationshipLayout
    package let owner: Int64
    package let members: [Int64]

    package init(relationship: RelationshipLayout, owner: Int64, members: [Int64]) {
      self.relationship = relationship
      self.owner = owner
      self.members = members
    }
  }

  /// Which unit of work the set belongs to.
  package var identifier = UInt64.random(in: .min ... .max)

  /// Who saves, for the store's history.
  package var author = Author()

  package var insertions: [Insertion] = []
  package var updates: [Update] = []
  package var deletions: [Deletion] = []
  package var links: [LinkChange] = []
  package var orders: [OrderChange] = []
  /// What follows from the rest: nothing without it.
  package var derivations: [Derivation] = []

  package init() {}

  package var isEmpty: Bool {
    insertions.isEmpty && updates.isEmpty && deletions.isEmpty && links.isEmpty && orders.isEmpty
  }
}
