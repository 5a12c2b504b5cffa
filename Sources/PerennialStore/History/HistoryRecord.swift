// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// What a save has done, in a form that can be written anywhere: entities by name, keys in runs.
package struct HistoryRecord: Sendable, Codable {
  struct Batch: Sendable, Codable {
    var type: PersistentHistoryChangeType
    var entity: String
    /// The names of the updated properties, ascending.
    var properties: [String]
    /// The first and the last key of every run of successive ones.
    var runs: [[Int64]]
    /// What is kept of some objects, by key.
    var tombstones: [Int: [String: PropertyValue]]?
    var details: [Int: HistoryDetails]?
  }

  var batches: [Batch] = []

  /// The numbers that transactions and changes can have.
  ///
  /// Those beyond are damage: so many changes nobody makes.
  package static let numbers: ClosedRange<Int64> = 0...(1 << 62)

  /// A record of what was noted.
  package init(_ draft: HistoryDraft, of model: ModelLayout) {
    for batch in draft.batches {
      let entity = model.entities[batch.entity]
      func kept<Value>(_ values: [HistoryDraft.Place: Value]) -> [Int: Value]? {
        guard !values.isEmpty else { return nil }
        var kept: [Int: Value] = [:]
        for key in batch.keys.keys { kept[Int(key)] = values[.init(root: entity.root, key: key)] }
        return kept.isEmpty ? nil : kept
      }
      batches.append(
        Batch(
          type: batch.type,
          entity: entity.name,
          properties: batch.properties.sorted(),
          runs: batch.keys.runs.map { [$0.lowerBound, $0.upperBound] },
          tombstones: kept(draft.tombstones),
          details: kept(draft.details)
        )
      )
    }
  }

  /// The number of changes.
  package var count: Int64 {
    batches.reduce(0) { count, batch in
      batch.runs.reduce(count) { $0 + ($1[1] - $1[0] + 1) }
    }
  }

  /// The changes.
  ///
  /// - Parameters:
  ///   - first: The number of the first change, one of ``numbers``.
  ///   - store: The store's identifier.
  /// - Returns: The changes, in their order; none when there are more than are read.
  package func changes(from first: Int64, store: UUID) -> [PersistentHistoryChange] {
    guard count <= Self.changeLimit else { return [] }
    var changes: [PersistentHistoryChange] = []
    for batch in batches {
      let properties = Set(batch.properties)
      let origin = ObjectIDOrigin(entityName: batch.entity, owner: store)
      for run in batch.runs {
        for key in run[0]...run[1] {
          changes.append(
            PersistentHistoryChange(
              changeID: first + Int64(changes.count),
              changedObjectID: ManagedObjectID(origin, key),
              changeType: batch.type,
              updatedProperties: properties,
              tombstone: batch.tombstones?[Int(key)] ?? [:],
              details: batch.details?[Int(key)] ?? HistoryDetails()
            )
          )
        }
      }
    }
    return changes
  }

  // MARK: Text

  /// The text of a record without changes.
  package static let emptyText = "{\"batches\":[]}"

  /// The record as JSON, in which numbers that are none have names.
  package func text() -> String? {
    plainText ?? HistoryJSON.encode(self).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The same text of a record of nothing but keys, put together by hand; `nil` for others.
  ///
  /// Most records are such ones, and a coder takes longer than some saves.
  private var plainText: String? {
    var text = "{\"batches\":["
    for (index, batch) in batches.enumerated() {
      guard batch.tombstones == nil, batch.details == nil,
        ([batch.entity] + batch.properties).allSatisfy(\.needsNoEscapes)
      else { return nil }
      if index > 0 { text += "," }
      text += "{\"entity\":\"\(batch.entity)\",\"properties\":["
      text += batch.properties.map { "\"\($0)\"" }.joined(separator: ",") + "],\"runs\":["
      for (index, run) in batch.runs.enumerated() {
        text += index > 0 ? ",[" : "["
        text += run.map { String($0) }.joined(separator: ",") + "]"
      }
      text += "],\"type\":\(batch.type.rawValue)}"
    }
    return text + "]}"
  }

  /// The greatest number of changes that are read: each takes memory, and a run of them a few bytes of text.
  private static let changeLimit: Int64 = 10_000_000

  /// The record of a text; `nil` when it is not one.
  package init?(text: String) {
    guard let record = HistoryJSON.decode(Self.self, from: Data(text.utf8)) else { return nil }
    var count: Int64 = 0
    for run in record.batches.lazy.flatMap(\.runs) {
      guard run.count == 2, run[0] <= run[1], StoreRowCoder.keys.contains(run[0]),
        StoreRowCoder.keys.contains(run[1])
      else { return nil }
      let (sum, isOver) = count.addingReportingOverflow(run[1] - run[0] + 1)
      if isOver { return nil }
      count = sum
    }
    self = record
  }
}

/// How values of the history are written as JSON.
package enum HistoryJSON {
  package static func encode(_ value: some Encodable) -> Data? {
    try? JSONEncoder.forStores(.plain).encode(value)
  }

  package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) -> Value? {
    try? JSONDecoder.forStores(.plain).decode(type, from: data)
  }
}

extension String {
  /// Whether JSON has it as it is: letters and digits of ASCII, and the underscore.
  fileprivate var needsNoEscapes: Bool {
    utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || byte == 0x5F
    }
  }
}
