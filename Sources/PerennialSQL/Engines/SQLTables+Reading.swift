// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
import PerennialPredicate
public import PerennialStore

extension SQLTables {
  /// The statement that gives the rows of a request: for `PersistentStore.fetch(_:)`.
  ///
  /// - Parameter request: The request.
  /// - Returns: The statement; ``row(_:of:)`` reads its rows.
  /// - Throws: `PreferInMemory` for a predicate or a sort that SQL cannot express exactly as memory does it.
  public func fetch(_ request: StoreRequest) throws(PreferInMemory) -> SQLStatement {
    try select(request, .rows)
  }

  /// The statement that gives the number of a request's rows, without regard to its limit and offset: for
  /// `PersistentStore.count(_:)`.
  ///
  /// - Parameter request: The request.
  /// - Returns: The statement; its result is one row with one column.
  /// - Throws: `PreferInMemory` for a predicate or a sort that SQL cannot express exactly as memory does it.
  public func count(_ request: StoreRequest) throws(PreferInMemory) -> SQLStatement {
    var request = request
    (request.limit, request.offset, request.sorts) = (0, 0, [])
    return try select(request, .count)
  }

  /// The statements that together give the rows of some keys: for `PersistentStore.rows(of:keys:)`.
  ///
  /// - Parameters:
  ///   - table: The name of the root entity.
  ///   - keys: The keys.
  /// - Returns: As few statements as the number of parameters allows; ``row(_:of:)`` reads their rows.
  public func rows(of table: String, keys: [Int64]) -> [SQLStatement] {
    guard let root = schema.model.entitiesByName[table], let plan = plans[root] else { return [] }
    return batches(keys).map { keys in
      var builder = SelectBuilder(
        StoreQuery(entity: root, scope: .keys(keys)),
        output: .rows,
        schema: schema,
        translation: QueryTranslation()
      )
      let select = builder.build(columns: plan.columns)
      return statement(select.sql, select.bindings)
    }
  }

  /// The statements that together give the members of some owners: for `PersistentStore.members(of:owners:)`.
  ///
  /// - Parameters:
  ///   - relationship: The relationship.
  ///   - owners: The keys of the owners.
  /// - Returns: The statements. Each row has the keys of an owner and of a member, in the order of the owner's list.
  public func members(of relationship: StoreRelationship, owners: [Int64]) -> [SQLStatement] {
    func pairs(_ table: String, _ owner: String, _ member: String, by order: String)
      -> [SQLStatement]
    {
      batches(owners).map { owners in
        let rows = schema.dialect.isAmong(owner, keys: owners)
        return statement(
          "SELECT \(owner), \(member) FROM \(table) WHERE \(rows.sql) ORDER BY \(owner), \(order)",
          rows.bindings
        )
      }
    }
    if let table = lists.table(of: relationship) {
      return pairs(table, lists.owner, lists.member, by: lists.position)
    }
    let model = schema.model
    guard let entity = model.entitiesByName[relationship.entityName],
      let layout = model.entities[entity].relationship(named: relationship.name),
      let column = schema.ownerColumn(of: layout)
    else { return [] }
    let key = schema.rows.key
    return pairs(schema.table(of: layout.destination), column.name, key, by: key)
  }

  /// Reads a row of the result of ``fetch(_:)`` or ``rows(of:keys:)``.
  ///
  /// - Parameters:
  ///   - values: The values of the row's columns, in their order: integers as `.integer`; doubles as `.double` or,
  ///     when they are whole, as `.integer`; texts as `.text`; bytes as `.blob`.
  ///   - table: The name of the root entity.
  /// - Returns: The row.
  /// - Throws: `persistentStoreOpen` (134080) for a value that its column cannot have.
  public func row(_ values: [SQLValue], of table: String) throws(PerennialError) -> StoreRow {
    guard let root = schema.model.entitiesByName[table], let plan = plans[root] else {
      throw .unreadable(table, "id")
    }
    var place = 0
    if plan.entities.count > 1 {
      guard case .integer(let number)? = values[safely: Int(RowPlan.Column.entity)],
        let entity = schema.entity(ofNumber: number)
      else { throw .unreadable(table, "type") }
      place = entity - plan.firstEntity
    }
    guard plan.entities.indices.contains(place),
      case .integer(let key)? = values[safely: Int(RowPlan.Column.key)],
      case .integer(let version)? = values[safely: Int(RowPlan.Column.version)]
    else { throw .unreadable(table, "id") }
    let entity = schema.model.entities[plan.firstEntity + place]
    var row = StoreRow(
      id: StoreRowID(table: table, key: key),
      entityName: entity.name,
      version: Int(version),
      values: [:]
    )
    for load in plan.entities[place].loads {
      let slot = entity.slots[load.slot]
      guard let value = values[safely: Int(load.column)] else {
        throw .unreadable(table, slot.name)
      }
      if case .null = value { continue }
      guard let property = property(value, slot, load, values) else {
        throw .unreadable(table, slot.name)
      }
      row.values[slot.name] = property
    }
    return row
  }

  /// The value of a property, or `nil` when it cannot have such a one.
  private func property(
    _ value: SQLValue,
    _ slot: SlotLayout,
    _ load: RowPlan.Load,
    _ values: [SQLValue]
  ) -> PropertyValue? {
    if let type = slot.attributeType { return PropertyValue(value, of: type) }
    guard case .integer(let key) = value, let storeID else { return nil }
    var entity = load.destination
    if load.entityColumn >= 0, case .integer(let number)? = values[safely: Int(load.entityColumn)],
      let found = schema.entity(ofNumber: number)
    {
      entity = found
    }
    let reference = ObjectReference(key: key, entity: entity)
    guard reference.key == key else { return nil }
    return .objectID(schema.model.objectID(of: reference, owner: storeID))
  }
}

// MARK: - Requests

extension SQLTables {
  private func select(
    _ request: StoreRequest,
    _ output: SelectOutput
  ) throws(PreferInMemory) -> SQLStatement {
    guard let root = schema.model.entitiesByName[request.table], let plan = plans[root] else {
      throw .filter
    }
    var (query, others) = query(request, root)
    let store = storeID ?? UUID()
    var translation = QueryTranslation()
    if let predicate = request.predicate {
      guard let node = try? predicate.checked() else { throw .filter }
      var translator = PredicateTranslator(schema: schema, store: store)
      translation.condition = translator.translate(node, entity: query.entity)
      if translation.condition.residual != nil { throw .filter }
    }
    if let others {
      let condition = translation.condition.sql
      translation.condition.sql = others + (condition.isEmpty ? "" : " AND (\(condition))")
    }
    if !request.sorts.isEmpty {
      guard
        let terms = SortTranslator(schema: schema, store: store)
          .terms(for: request.sorts, entity: query.entity)
      else { throw .sort }
      translation.order = terms
    } else if request.limit > 0 || request.offset > 0 {
      translation.order = [schema.rows.keyOfQuery]
    }
    (query.limit, query.offset) = (request.limit, request.offset)
    var builder = SelectBuilder(query, output: output, schema: schema, translation: translation)
    let select = builder.build(columns: plan.columns)
    return statement(select.sql, select.bindings)
  }

  /// The query of a request's entities: one, or one with all that inherit from it; of others the condition, too.
  private func query(_ request: StoreRequest, _ root: Int) -> (StoreQuery, condition: String?) {
    let entities = schema.model.entities
    let names = request.entityNames
    for index in entities[root].family {
      var query = StoreQuery(entity: index)
      if names == Set(entities[index].family.map { entities[$0].name }) { return (query, nil) }
      query.includesSubentities = false
      if names == [entities[index].name] { return (query, nil) }
    }
    let numbers = entities[root].family.filter { names.contains(entities[$0].name) }
      .map { "\(schema.number(of: $0))" }.joined(separator: ", ")
    let number = schema.entityNumber(of: root, alias: "t0")
    let condition = numbers.isEmpty ? "1 = 0" : "\(number) IN (\(numbers))"
    return (StoreQuery(entity: root), condition)
  }

  /// Keys in as many lists as parameters allow.
  func batches(_ keys: [Int64]) -> [[Int64]] {
    keys.batches(of: schema.dialect.limits.bindingCount).map(Array.init)
  }
}

extension Array {
  /// The element at a place, if there is one.
  fileprivate subscript(safely index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}

extension PerennialError {
  /// A value that its column cannot have.
  fileprivate static func unreadable(_ table: String, _ column: String) -> PerennialError {
    PerennialError(
      .persistentStoreOpen,
      "A row of the table of '\(table)' has a value that its column '\(column)' cannot have.",
      recovery:
        "give the values of a statement as the database has them, in the order of its columns"
    )
  }
}
