// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import Testing

@testable import PerennialJSON

/// A folder of a test's own, removed with the value.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "perennial-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String = "Store.json") -> URL { url.appending(path: name) }

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

/// A row written down: its key, its version and its slots by name.
struct Row {
  enum Value {
    case value(PropertyValue)
    case reference(String, Int64)
  }

  var key: Int64
  var version: UInt32 = 1
  var values: [String: Value] = [:]

  init(_ key: Int64, version: UInt32 = 1, _ values: [String: Value] = [:]) {
    self.key = key
    self.version = version
    self.values = values
  }
}

extension Row.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  init(stringLiteral value: String) { self = .value(.string(value)) }
  init(integerLiteral value: Int64) { self = .value(.integer(value)) }
  init(floatLiteral value: Double) { self = .value(.double(value)) }
  init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
}

extension ModelLayout {
  func index(_ name: String) -> Int { entitiesByName[name] ?? -1 }

  func relationship(_ entity: String, _ name: String) throws -> RelationshipLayout {
    try #require(entities[index(entity)].relationship(named: name))
  }

  /// Pages of rows of an entity.
  func pages(_ entity: String, _ rows: [Row]) -> [RowPage] {
    let layout = entities[index(entity)]
    var builder = PageBuilder()
    var pages: [RowPage] = []
    for row in rows {
      if builder.isFull, builder.hasRows { pages.append(builder.seal()) }
      builder.begin(
        key: row.key,
        version: row.version,
        entity: layout.index,
        slotCount: layout.slots.count
      )
      for (slot, description) in layout.slots.enumerated() {
        switch row.values[description.name] {
        case nil: break
        case .reference(let name, let key):
          let reference = ObjectReference(key: key, entity: index(name))
          builder.put(slot, word: UInt64(bitPattern: reference.word))
        case .value(let value):
          value.withSlotValue(as: description.attribute?.type ?? .undefined) { stored in
            switch stored {
            case .null: break
            case .word(let word): builder.put(slot, word: word)
            case .bytes(let bytes): builder.put(slot, bytes: bytes)
            }
          }
        }
      }
      builder.end()
    }
    if builder.hasRows { pages.append(builder.seal()) }
    return pages
  }

  /// A change set with new rows.
  func insertion(_ rows: [(String, [Row])]) -> ChangeSet {
    var changes = ChangeSet()
    changes.insertions = rows.map { .init(entity: index($0.0), pages: pages($0.0, $0.1)) }
    return changes
  }

  /// An update of some slots.
  func update(_ entity: String, _ names: [String], _ rows: [Row]) -> ChangeSet.Update {
    let slots = names.compactMap { entities[index(entity)].slotsByName[$0] }.sorted()
    return .init(entity: index(entity), slots: slots, pages: pages(entity, rows))
  }

  func deletion(_ entity: String, _ rows: [(Int64, UInt32)]) -> ChangeSet.Deletion {
    .init(entity: index(entity), rows: rows.map { .init(key: $0.0, version: $0.1) })
  }

  func link(
    _ entity: String,
    _ name: String,
    added: [(Int64, Int64)] = [],
    removed: [(Int64, Int64)] = []
  ) throws -> ChangeSet.LinkChange {
    let side = try #require(try relationship(entity, name).side)
    func pairs(_ list: [(Int64, Int64)]) -> [ChangeSet.LinkChange.Pair] {
      list.map {
        side.isFirst ? .init(first: $0.0, second: $0.1) : .init(first: $0.1, second: $0.0)
      }
    }
    return .init(link: side.link, added: pairs(added), removed: pairs(removed))
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
      return PackedRow.value(row.pointer, slot, in: layout, of: model) {
        ManagedObjectID(entityName: $0, owner: identifier, key: $1)
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
