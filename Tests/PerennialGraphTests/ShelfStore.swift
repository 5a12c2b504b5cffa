// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Synchronization

/// A store as a third party may write it: it keeps what it is given.
final class ShelfStore: PersistentStore {
  private struct Contents {
    var metadata: PersistentStoreMetadata?
    var tables: [String: [Int64: StoreRow]] = [:]
    var lists: [StoreRelationship: [Int64: [Int64]]] = [:]
    var nextKeys: [String: Int64] = [:]
  }

  let capabilities: StoreCapabilities
  private let contents = Mutex(Contents())
  /// What saves throw.
  private let refusal: PerennialError?

  init(_ capabilities: StoreCapabilities, refusing refusal: PerennialError? = nil) {
    self.capabilities = capabilities
    self.refusal = refusal
  }

  func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? {
    contents.withLock { $0.metadata }
  }

  func write(_ metadata: PersistentStoreMetadata) throws {
    contents.withLock { $0.metadata = metadata }
  }

  func fetch(_ request: StoreRequest) throws -> [StoreRow] {
    contents.withLock { contents in
      (contents.tables[request.table] ?? [:]).values.filter {
        request.entityNames.contains($0.entityName)
      }
    }
  }

  func rows(of table: String, keys: [Int64]) throws -> [StoreRow] {
    contents.withLock { contents in keys.compactMap { contents.tables[table]?[$0] } }
  }

  func members(of relationship: StoreRelationship, owners: [Int64]) throws -> [Int64: [Int64]] {
    contents.withLock { contents in
      (contents.lists[relationship] ?? [:]).filter { owners.contains($0.key) }
    }
  }

  func reserveKeys(_ count: Int, of table: String) throws -> Int64 {
    contents.withLock { contents in
      defer { contents.nextKeys[table, default: 1] += Int64(count) }
      return contents.nextKeys[table] ?? 1
    }
  }

  func save(_ changes: StoreChanges) throws -> [StoreConflict] {
    if let refusal { throw refusal }
    contents.withLock { contents in
      for row in changes.insertions {
        contents.tables[row.id.table, default: [:]][row.id.key] = row
      }
      for update in changes.updates {
        contents.tables[update.id.table]?[update.id.key]?.version = update.version
        contents.tables[update.id.table]?[update.id.key]?.values.merge(update.values) { $1 }
      }
      for row in changes.deletions { contents.tables[row.id.table]?[row.id.key] = nil }
      for change in changes.members {
        let list = contents.lists[change.relationship]?[change.owner] ?? []
        contents.lists[change.relationship, default: [:]][change.owner] = change.applied(to: list)
      }
    }
    return []
  }
}
