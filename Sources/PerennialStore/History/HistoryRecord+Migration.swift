// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel

extension InMemoryHistory {
  /// The history of a store after a migration: the same transactions, with the names of the new model.
  ///
  /// Changes of objects whose entity is removed are left out, as are old values that are not carried over.
  package func migrated(along mapping: ModelMapping) -> InMemoryHistory {
    var migrated = InMemoryHistory(
      after: extent.first - 1,
      lastChange: lastChange,
      keepsOldValues: keepsOldValues,
      keepsTexts: true
    )
    let translations = mapping.historyTranslations
    for entry in entries {
      let record = entry.text.flatMap { HistoryRecord(text: $0) }?.migrated(with: translations)
      migrated.append(
        entry.transaction,
        text: record?.text() ?? HistoryRecord.emptyText,
        firstChange: entry.firstChange
      )
    }
    return migrated
  }
}

extension ModelMapping {
  /// How the histories of all entities are told, by their old names.
  fileprivate var historyTranslations: [String: (name: String, HistoryTranslation)] {
    Dictionary(
      uniqueKeysWithValues: entities.map { entity in
        let name = destination.entities[entity.destination].name
        return (source.entities[entity.source].name, (name, HistoryTranslation(entity, self)))
      }
    )
  }
}

extension HistoryRecord {
  /// The record with the names of a new model.
  fileprivate func migrated(
    with translations: [String: (name: String, HistoryTranslation)]
  ) -> HistoryRecord {
    var record = self
    record.batches = batches.compactMap { batch in
      guard let (name, translation) = translations[batch.entity] else { return nil }
      var batch = batch
      batch.entity = name
      batch.properties = batch.properties.compactMap { translation.names[$0] }.sorted()
      batch.tombstones = batch.tombstones?.mapValues(translation.tombstone)
      batch.details = batch.details?.mapValues { translation.details($0, of: batch.type) }
      return batch
    }
    return record
  }
}
