// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

extension TemporaryFolder {
  /// The file of a test with one store.
  func file() -> URL { file("Store.json") }

  var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: url.path)) }
  }
}

/// The error that a closure throws; `nil` when it throws none.
func thrown(_ body: () throws -> Void) -> PerennialError? {
  do {
    try body()
    return nil
  } catch SaveFailure.failed(let error) {
    return error
  } catch {
    return error as? PerennialError
  }
}

extension RowProvider {
  /// All rows of an entity, by key.
  func rows(_ entity: String) throws -> [PageRow] {
    var rows: [PageRow] = []
    try fetchRows(StoreQuery(entity: model.index(entity))) { page in
      rows += (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    return rows
  }

  /// The values of an attribute of all rows of an entity, by key.
  func values(_ entity: String, _ name: String) throws -> [PropertyValue] {
    try rows(entity).map { row in
      let layout = model.entities[row.entity]
      let slot = try #require(layout.slotsByName[name])
      return PackedRow.value(row.pointer, slot, in: layout) {
        model.objectID(of: $0, owner: identifier)
      }
    }
  }

  /// The keys of the members of an object.
  func members(_ entity: String, _ name: String, of owner: Int64) throws -> [Int64] {
    let relationship = try model.relationship(entity, name)
    let query = StoreQuery(
      entity: relationship.destination,
      scope: .related(relationship, owner: owner)
    )
    return try fetchReferences(query).map(\.key)
  }
}
