// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Synchronization

/// A store with an engine: it filters, sorts, limits, updates and deletes what it can, finds conflicts, and
/// asks for help with the rest.
final class EngineStore: PersistentStore {
  /// What is wrong with a store on purpose.
  enum Fault: String, CaseIterable, Sendable {
    case dropsEveryOtherSave
    case ignoresSorts
    case forgetsVersions
    case losesInsertionsBesideUpdates
    // What is not there at the next opening.
    case losesElements
    case losesSalaries
    case losesFriends
    case losesBatches
  }

  /// What outlives a store of this kind, as a file would.
  final class Disk: Sendable {
    let contents = Mutex(EngineContents())
    /// The contents without what batches have done since the last save.
    let saved = Mutex(EngineContents())
  }

  static let allCapabilities: StoreCapabilities = [
    .durable, .filter, .sort, .limit, .members, .constraints, .history, .batch,
  ]

  let capabilities: StoreCapabilities
  private let disk: Disk
  private let fault: Fault?
  private let saves = Mutex(0)

  init(
    _ disk: Disk,
    capabilities: StoreCapabilities = allCapabilities,
    fault: Fault? = nil
  ) {
    self.disk = disk
    self.capabilities = capabilities
    self.fault = fault
  }

  func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? {
    disk.contents.withLock { contents in
      switch fault {
      case .losesElements: contents.loseValues { $0.contains(".") }
      case .losesSalaries: contents.loseValues { $0 == "salary" }
      case .losesFriends: contents.lists = contents.lists.filter { $0.key.name != "friends" }
      case .losesBatches: contents = disk.saved.withLock(\.self)
      default: break
      }
      contents.constraints = EngineContents.constraints(of: model)
      return contents.metadata
    }
  }

  func write(_ metadata: PersistentStoreMetadata) throws {
    disk.contents.withLock { contents in
      contents.metadata = metadata
      disk.saved.withLock { [contents] in $0 = contents }
    }
  }

  func fetch(_ request: StoreRequest) throws -> [StoreRow] {
    var rows = try selected(request).map(forgetting)
    if fault == .ignoresSorts {
      // In no order of any value, but in the same one in every run.
      rows.sort { ($0.id.key * 7 % 11, $0.id.key) < ($1.id.key * 7 % 11, $1.id.key) }
    } else if !request.sorts.isEmpty {
      try EngineOrder.sort(&rows, by: request.sorts)
    }
    let rest = rows.dropFirst(request.offset)
    return Array(request.limit > 0 ? rest.prefix(request.limit) : rest)
  }

  func count(_ request: StoreRequest) throws -> Int { try selected(request).count }

  func rows(of table: String, keys: [Int64]) throws -> [StoreRow] {
    disk.contents.withLock { contents in
      keys.compactMap { contents.tables[table]?[$0] }.map(forgetting)
    }
  }

  func members(of relationship: StoreRelationship, owners: [Int64]) throws -> [Int64: [Int64]] {
    let wanted = Set(owners)
    return disk.contents.withLock { contents in
      guard !relationship.isOrdered, let inverse = relationship.inverseToOne else {
        return (contents.lists[relationship] ?? [:]).filter { wanted.contains($0.key) }
      }
      var members: [Int64: [Int64]] = [:]
      for row in contents.tables[relationship.destinationTable, default: [:]].values {
        guard case .objectID(let id)? = row.values[inverse], let owner = EngineContents.key(of: id),
          wanted.contains(owner)
        else { continue }
        members[owner, default: []].append(row.id.key)
      }
      return members
    }
  }

  func reserveKeys(_ count: Int, of table: String) throws -> Int64 {
    disk.contents.withLock { contents in
      defer { contents.nextKeys[table, default: 1] += Int64(count) }
      return contents.nextKeys[table, default: 1]
    }
  }

  func save(_ changes: StoreChanges) throws -> [StoreConflict] {
    let number = saves.withLock { number in
      number += 1
      return number
    }
    if fault == .dropsEveryOtherSave, number.isMultiple(of: 2) { return [] }
    var changes = changes
    if fault == .losesInsertionsBesideUpdates, !changes.updates.isEmpty { changes.insertions = [] }
    return disk.contents.withLock { [changes] contents in
      var next = contents
      next.apply(changes)
      let conflicts = contents.conflicts(with: changes, after: next)
      if conflicts.isEmpty {
        contents = next
        disk.saved.withLock { [next] in $0 = next }
      }
      return fault == .forgetsVersions ? [] : conflicts
    }
  }

  func execute(_ batch: StoreBatch) throws -> Int {
    let rows = try selected(batch.request)
    disk.contents.withLock { contents in
      for row in rows { contents.apply(batch.action, to: row) }
    }
    return rows.count
  }

  private func selected(_ request: StoreRequest) throws -> [StoreRow] {
    let rows = disk.contents.withLock { contents in
      Array(contents.tables[request.table, default: [:]].values)
    }.filter { request.entityNames.contains($0.entityName) }
    guard let condition = try request.predicate?.condition else { return rows }
    return try rows.filter { try EngineFilter.matches($0, condition) }
  }

  private func forgetting(_ row: StoreRow) -> StoreRow {
    guard fault == .forgetsVersions else { return row }
    var row = row
    row.version = 1
    return row
  }
}
