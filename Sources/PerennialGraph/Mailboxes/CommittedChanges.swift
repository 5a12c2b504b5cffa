// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import PerennialModel
package import PerennialStore

/// What one save did: a value that other contexts merge, in whichever isolation they are.
///
/// It holds the very rows that were saved, so that merging it asks the store for nothing, with the exceptions that
/// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)`` names. Making one costs the same for one object and for
/// a million.
///
/// Core Data: the notification `NSManagedObjectContextDidSave`.
public struct CommittedChanges: Sendable {
  /// The place of the save among all saves of its container: 1 for the first.
  public let number: Int
  /// The identifier of the context that saved, which no other context has.
  public let contextIdentifier: UUID
  /// The name of the context that saved.
  public let contextName: String?
  /// The author of the save: the context's `transactionAuthor`.
  public let author: String?
  /// What was written: complete rows, deleted keys, pairs of links, ordered owners.
  package let changes: ChangeSet
  /// Whether saves with smaller numbers may have come after it: the store has told of it later.
  let isLate: Bool
  let model: ModelLayout
  let storeIdentifier: UUID
  private let naming: StoreNaming

  init(_ number: Int, _ stamp: SaveStamp, _ changes: ChangeSet, _ store: any RowStore) {
    self.number = number
    contextIdentifier = stamp.context
    contextName = stamp.name
    author = stamp.author
    self.changes = changes
    isLate = false
    model = store.model
    storeIdentifier = store.identifier
    naming = store.naming
  }

  /// What somebody else has saved.
  ///
  /// - Parameters:
  ///   - number: The place among the saves of the container.
  ///   - transaction: The save, as history has it.
  ///   - changes: The rows as they are stored now.
  ///   - store: The store.
  init(
    _ number: Int,
    _ transaction: PersistentHistoryTransaction,
    _ changes: ChangeSet,
    _ store: any RowStore
  ) {
    self.number = number
    contextIdentifier = UUID()
    contextName = transaction.contextName
    author = transaction.author
    self.changes = changes
    isLate = false
    model = store.model
    storeIdentifier = store.identifier
    naming = store.naming
  }

  /// What somebody else has saved, of whom nothing is known.
  init(_ number: Int, foreign changes: ChangeSet, _ store: any RowStore) {
    self.number = number
    contextIdentifier = UUID()
    contextName = nil
    author = nil
    self.changes = changes
    isLate = true
    model = store.model
    storeIdentifier = store.identifier
    naming = store.naming
  }

  /// The IDs of the objects that were inserted, updated and deleted.
  ///
  /// Core Data: `NSManagedObjectContextDidSaveObjectIDs`.
  ///
  /// - Complexity: Linear in the number of objects; every call makes the IDs again.
  public var objects: ObjectChanges {
    let ids = ObjectIDMaker(model, naming)
    func all(_ pages: [RowPage], _ entity: Int) -> [ManagedObjectID] {
      pages.keys.map { ids.id(entity, $0) }
    }
    return ObjectChanges(
      inserted: Set(changes.insertions.flatMap { all($0.pages, $0.entity) }),
      updated: Set(changes.updates.flatMap { all($0.pages, $0.entity) }),
      deleted: Set(
        changes.deletions.flatMap { deletion in
          deletion.rows.map { ids.id(deletion.entity, $0.key) }
        }
      )
    )
  }

  /// The size of the rows in bytes.
  var byteCount: Int {
    let pages = changes.insertions.lazy.flatMap(\.pages)
    return pages.reduce(0) { $0 + $1.byteCount }
      + changes.updates.lazy.flatMap(\.pages).reduce(0) { $0 + $1.byteCount }
  }
}

/// Who saves.
struct SaveStamp: Sendable {
  let context: UUID
  let name: String?
  let author: String?

  init(_ context: ManagedObjectContext) {
    self.context = context.identifier
    name = context.name
    author = context.transactionAuthor
  }
}
