// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel

extension InMemoryHistory {
  /// The history of a store after a migration: the same transactions, with the names of the new model.
  ///
  /// Changes of objects whose entity is removed are left out. Old values are, too, because they may not be
  /// ones of the new model: what was changed before a migration cannot be reverted after it.
  package func migrated(along mapping: ModelMapping) -> InMemoryHistory {
    var migrated = InMemoryHistory(
      after: extent.first - 1,
      lastChange: lastChange,
      keepsOldValues: keepsOldValues,
      keepsTexts: true
    )
    for entry in entries {
      let record = entry.text.flatMap { HistoryRecord(text: $0) }?.migrated(along: mapping)
      migrated.append(
        entry.transaction,
        text: record?.text() ?? HistoryRecord.emptyText,
        firstChange: entry.firstChange
      )
    }
    return migrated
  }
}

extension HistoryRecord {
  /// The record with the names of a new model.
  func migrated(along mapping: ModelMapping) -> HistoryRecord {
    var record = self
    record.batches = batches.compactMap { batch in
      guard let place = mapping.source.entitiesByName[batch.entity],
        let entity = mapping.mapping(ofSource: place)
      else { return nil }
      let names = entity.names(in: mapping)
      var batch = batch
      batch.entity = mapping.destination.entities[entity.destination].name
      batch.properties = batch.properties.compactMap { names[$0] }.sorted()
      batch.tombstones = batch.tombstones?.mapValues { values in
        Dictionary(
          uniqueKeysWithValues: values.compactMap { name, value in names[name].map { ($0, value) } }
        )
      }
      batch.details = nil
      return batch
    }
    return record
  }
}

extension EntityMapping {
  /// The new names of the old properties whose values are carried over.
  fileprivate func names(in mapping: ModelMapping) -> [String: String] {
    let old = mapping.source.entities[source]
    let new = mapping.destination.entities[destination]
    var names: [String: String] = [:]
    for (place, slot) in slots.enumerated() {
      if let slot { names[old.slots[slot].name] = new.slots[place].name }
    }
    for (place, relationship) in toManys.enumerated() {
      if let relationship { names[relationship.name] = new.toManys[place].name }
    }
    return names
  }
}
