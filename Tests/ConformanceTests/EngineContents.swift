// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Everything that an engine store keeps: a value.
struct EngineContents: Sendable {
  /// The properties that are unique together, for an entity.
  typealias Constraints = [String: [[String]]]

  var metadata: PersistentStoreMetadata?
  var tables: [String: [Int64: StoreRow]] = [:]
  var lists: [StoreRelationship: [Int64: [Int64]]] = [:]
  var nextKeys: [String: Int64] = [:]
  var constraints: Constraints = [:]
  /// The saves that have been written, the latest ones, which may come again.
  var written: [UInt64] = []

  static func constraints(of model: ManagedObjectModel) -> Constraints {
    var constraints: Constraints = [:]
    for entity in model.entities {
      var own: [[String]] = entity.uniquenessConstraints
      var parent = model.superentity(of: entity.name)
      while let current = parent {
        own = current.uniquenessConstraints + own
        parent = model.superentity(of: current.name)
      }
      constraints[entity.name] = own
    }
    return constraints
  }

  /// The key in the URI of an ID.
  static func key(of id: ManagedObjectID) -> Int64? {
    Int64(id.uriRepresentation.lastPathComponent.dropFirst())
  }

  mutating func apply(_ changes: StoreChanges) {
    for deletion in changes.deletions { tables[deletion.id.table]?[deletion.id.key] = nil }
    for row in changes.insertions { tables[row.id.table, default: [:]][row.id.key] = row }
    for update in changes.updates {
      tables[update.id.table]?[update.id.key]?.version = update.version
      tables[update.id.table]?[update.id.key]?.values.merge(update.values) { $1 }
    }
    for change in changes.members {
      let list = lists[change.relationship]?[change.owner] ?? []
      lists[change.relationship, default: [:]][change.owner] = change.applied(to: list)
    }
    written = written.suffix(100) + [changes.identifier]
  }

  /// Changes a row as a batch says.
  mutating func apply(_ action: StoreBatch.Action, to row: StoreRow) {
    switch action {
    case .delete: tables[row.id.table]?[row.id.key] = nil
    case .update(let values):
      tables[row.id.table]?[row.id.key]?.version += 1
      tables[row.id.table]?[row.id.key]?.values.merge(values) { $1 }
    }
  }

  /// Forgets the values of some properties.
  mutating func loseValues(where isLost: (String) -> Bool) {
    tables = tables.mapValues { rows in
      rows.mapValues { row in
        var row = row
        row.values = row.values.filter { !isLost($0.key) }
        return row
      }
    }
  }

  func conflicts(with changes: StoreChanges, after next: EngineContents) -> [StoreConflict] {
    var conflicts: [StoreConflict] = []
    func stored(_ id: StoreRowID) -> StoreRow? { tables[id.table]?[id.key] }
    let isRepeated = written.contains(changes.identifier)
    for update in changes.updates where stored(update.id)?.version != update.expectedVersion {
      if isRepeated, stored(update.id)?.version == update.version { continue }
      conflicts.append(.version(update.id, stored: stored(update.id)))
    }
    for deletion in changes.deletions {
      guard let row = stored(deletion.id), row.version != deletion.expectedVersion else { continue }
      conflicts.append(.version(deletion.id, stored: row))
    }
    for insertion in changes.insertions {
      guard let row = stored(insertion.id), row != insertion else { continue }
      conflicts.append(.version(insertion.id, stored: row))
    }
    let new = Dictionary(changes.insertions.map { ($0.id, $0) }) { $1 }
    for id in changes.insertions.map(\.id) + changes.updates.map(\.id) {
      guard let row = next.tables[id.table]?[id.key] else { continue }
      for properties in constraints[row.entityName] ?? [] {
        guard let other = next.twin(of: row, properties), let found = stored(other) ?? new[other]
        else { continue }
        conflicts.append(
          .constraint(
            entityName: row.entityName,
            properties: properties,
            newcomer: id,
            stored: found
          )
        )
      }
    }
    return conflicts
  }

  /// Another row with the same values of some properties, none of them absent.
  private func twin(of row: StoreRow, _ properties: [String]) -> StoreRowID? {
    let values = properties.map { row.values[$0] ?? .null }
    if values.contains(.null) { return nil }
    return tables[row.id.table]?.values.first { other in
      other.id != row.id && constraints[other.entityName]?.contains(properties) == true
        && properties.map { other.values[$0] ?? .null } == values
    }?.id
  }
}
