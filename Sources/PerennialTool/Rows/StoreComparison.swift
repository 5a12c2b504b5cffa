// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Compares the rows of two stores by entity and key.
///
/// To-many relationships whose inverse is to-one say nothing that the other side does not, unless they are
/// ordered; of a many-to-many relationship one side says all, the same one in both stores.
struct StoreComparison {
  /// A row that is not the same in both stores.
  struct Difference {
    enum Kind {
      case onlyInFirst
      case onlyInSecond
      /// The properties that differ, with both values; nil where the row has no such property.
      case changed([(name: String, first: StoredValue?, second: StoredValue?)])
    }

    /// The row, in the first store where it has it.
    let row: StoredRow
    let kind: Kind
  }

  private let first: any RowStore
  private let second: any RowStore
  private let firstReader: RowReader
  private let secondReader: RowReader

  init(_ first: any RowStore, _ second: any RowStore) {
    self.first = first
    self.second = second
    let models = [first.model, second.model]
    func isCompared(_ entity: EntityLayout, _ column: RowColumns.Column) -> Bool {
      Self.isCompared(column, of: entity.name, in: models)
    }
    firstReader = RowReader(first, including: isCompared)
    secondReader = RowReader(second, including: isCompared)
  }

  /// Whether a property is compared: of a pair the side that is first in the first model that has it, as which one
  /// is first follows from the order in which a model declares them.
  private static func isCompared(
    _ column: RowColumns.Column,
    of entity: String,
    in models: [ModelLayout]
  ) -> Bool {
    guard case .toMany = column.place else { return true }
    let found = relationships(column.name, of: entity, in: models)
    return found.contains { !$0.isToMany || $0.isOrdered } || found.first?.side?.isFirst == true
  }

  /// What the models that have a relationship say of it.
  private static func relationships(
    _ name: String,
    of entity: String,
    in models: [ModelLayout]
  ) -> [RelationshipLayout] {
    models.compactMap { model in
      model.entitiesByName[entity].flatMap { model.entities[$0].relationship(named: name) }
    }
  }

  /// Calls a closure with every difference: entity by entity, by key.
  ///
  /// - Returns: How many rows are the same.
  func run(_ body: (Difference) throws -> Void) throws -> Int {
    var equalCount = 0
    let names = Set(Self.roots(first).keys).union(Self.roots(second).keys)
    for name in names.sorted() {
      equalCount += try compare(name, body)
    }
    return equalCount
  }

  private static func roots(_ store: any RowStore) -> [String: Int] {
    let roots = store.model.entities.filter { $0.superentity == nil }
    return Dictionary(uniqueKeysWithValues: roots.map { ($0.name, $0.index) })
  }

  /// The keys of a family of entities, in their order.
  private static func keys(_ root: Int?, _ store: any RowStore) throws -> [Int64] {
    guard let root else { return [] }
    return try store.fetchReferences(StoreQuery(entity: root)).map(\.key).sorted()
  }

  private func compare(_ name: String, _ body: (Difference) throws -> Void) throws -> Int {
    let roots = (Self.roots(first)[name], Self.roots(second)[name])
    let firstKeys = try Self.keys(roots.0, first)
    let secondKeys = try Self.keys(roots.1, second)
    var equalCount = 0
    var places = (0, 0)
    while places.0 < firstKeys.count || places.1 < secondKeys.count {
      // The next keys of both stores, up to the one that both have passed.
      let some = firstKeys[places.0..<min(places.0 + RowReader.batchCount, firstKeys.count)]
      let others = secondKeys[places.1..<min(places.1 + RowReader.batchCount, secondKeys.count)]
      var end = Int64.max
      if some.endIndex < firstKeys.count, let last = some.last { end = min(end, last) }
      if others.endIndex < secondKeys.count, let last = others.last { end = min(end, last) }
      let left = some.prefix { $0 <= end }
      let right = others.prefix { $0 <= end }
      places = (places.0 + left.count, places.1 + right.count)
      let firstRows = try roots.0.map { try firstReader.rows(Array(left), root: $0) } ?? [:]
      let secondRows = try roots.1.map { try secondReader.rows(Array(right), root: $0) } ?? [:]
      for key in Set(left).union(right).sorted() {
        if let difference = difference(firstRows[key], secondRows[key]) {
          try body(difference)
        } else {
          equalCount += 1
        }
      }
    }
    return equalCount
  }

  private func difference(_ left: StoredRow?, _ right: StoredRow?) -> Difference? {
    guard let left else { return right.map { Difference(row: $0, kind: .onlyInSecond) } }
    guard let right else { return Difference(row: left, kind: .onlyInFirst) }
    var changes: [(name: String, first: StoredValue?, second: StoredValue?)] = []
    if left.id.entityName != right.id.entityName {
      changes.append(
        (
          "_entity", .value(.string(left.id.entityName)), .value(.string(right.id.entityName))
        )
      )
    }
    let others = Dictionary(right.values.map { ($0.name, $0.value) }) { first, _ in first }
    for (name, value) in left.values {
      let other = others[name]
      if other?.comparable == value.comparable { continue }
      if isEqualWithoutOrder(value, other, name, of: left.id.entityName) { continue }
      changes.append((name, value, other))
    }
    let names = Set(left.values.map(\.name))
    for (name, value) in right.values where !names.contains(name) {
      changes.append((name, nil, value))
    }
    return changes.isEmpty ? nil : Difference(row: left, kind: .changed(changes))
  }

  /// Whether two lists have the same objects, of which only one store keeps an order.
  private func isEqualWithoutOrder(
    _ value: StoredValue,
    _ other: StoredValue?,
    _ name: String,
    of entity: String
  ) -> Bool {
    guard case .objects(let some) = value, case .objects(let others)? = other,
      some.count == others.count
    else { return false }
    let models = [first.model, second.model]
    return Self.relationships(name, of: entity, in: models).contains { !$0.isOrdered }
      && Set(some.map(\.description)) == Set(others.map(\.description))
  }
}

extension StoredValue {
  /// The value without the identifiers of stores, which differ between them.
  fileprivate var comparable: StoredValue {
    switch self {
    case .value(.objectID(let id)): .value(.string(id.description))
    case .objects(let ids):
      .composite(ids.map { Element(name: $0.description, value: .null) })
    case .value, .composite: self
    }
  }
}
