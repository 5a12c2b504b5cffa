// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate
package import PerennialSQL
package import PerennialStore

extension SQLiteStore {
  package func fetchRows(
    _ query: StoreQuery,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    // What may be cancelled, or needs some columns only, has a statement of its own.
    if query.cancellation == nil, let (lookUp, value) = try query.lookUp(in: model) {
      return try fetchRows(lookUp, .one(value), body)
    }
    if query.slots == nil, let lookUp = try KeyLookUp(query, schema: schema) {
      return try fetchRows(query, lookUp, body)
    }
    try fetchRows(translating: query, body)
  }

  package func fetchRows(
    _ query: StoreQuery,
    _ translation: QueryTranslation,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let plan = plan(of: query)
    try read { connection throws(SQLiteFailure) in
      var reader = PageReader(plan, expectsOne: query.expectsOne(translation))
      try connection.begin(query.cancellation)
      defer { connection.end(query.cancellation) }
      try run(query, translation, .rows, on: connection) { statement throws(SQLiteFailure) in
        try reader.read(statement, body)
      }
      reader.finish(body)
    }
  }

  package func fetchReferences(_ query: StoreQuery) throws(PerennialError) -> [ObjectReference] {
    let translation = try translation(of: query)
    guard translation.isComplete else { return try references(in: query, translation) }
    return try read { connection throws(SQLiteFailure) in
      try fetchReferences(query, translation, on: connection)
    }
  }

  package func fetchReferences(
    _ query: StoreQuery,
    inPiecesOf count: Int,
    _ body: (ArraySlice<ObjectReference>) -> Void
  ) throws(PerennialError) {
    let translation = try translation(of: query)
    guard translation.isComplete else {
      for piece in try references(in: query, translation).batches(of: count) { body(piece) }
      return
    }
    try read { connection throws(SQLiteFailure) in
      var piece: [ObjectReference] = []
      piece.reserveCapacity(min(count, 1_024))
      let reader = ReferenceReader(query, schema)
      try run(query, translation, .references, on: connection) { statement throws(SQLiteFailure) in
        while let reference = try reader.next(statement) {
          piece.append(reference)
          if piece.count < count { continue }
          body(piece[...])
          piece.removeAll(keepingCapacity: true)
        }
      }
      if !piece.isEmpty { body(piece[...]) }
    }
  }

  /// The keys and entities of what a query selects in part in memory.
  private func references(
    in query: StoreQuery,
    _ translation: QueryTranslation
  ) throws(PerennialError) -> [ObjectReference] {
    try select(query, translation).map { ObjectReference(key: $0.key, entity: $0.entity) }
  }

  /// The keys and entities of the rows that SQL selects.
  func fetchReferences(
    _ query: StoreQuery,
    _ translation: QueryTranslation,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [ObjectReference] {
    var references: [ObjectReference] = []
    let reader = ReferenceReader(query, schema)
    try run(query, translation, .references, on: connection) { statement throws(SQLiteFailure) in
      while let reference = try reader.next(statement) {
        references.makeRoom(for: 1)
        references.append(reference)
      }
    }
    return references
  }

  package func count(_ query: StoreQuery) throws(PerennialError) -> Int {
    let translation = try translation(of: query)
    guard translation.isComplete else { return try select(query, translation).count }
    return try read { connection throws(SQLiteFailure) in
      var count = 0
      try run(query, translation, .count, on: connection) { statement throws(SQLiteFailure) in
        while try statement.step() { count += Int(statement.integer(0)) }
      }
      return count
    }
  }

  package func plan(of query: StoreQuery) -> RowPlan {
    let plan = query.includesSubentities ? familyPlans[query.entity] : ownPlans[query.entity]
    guard let slots = query.slots else { return plan }
    return RowPlan(
      entity: query.entity,
      includesSubentities: query.includesSubentities,
      slots: Set(slots),
      schema: schema,
      externalFiles: plan.externalFiles
    )
  }

  /// Prepares and binds the statements of a query and calls a closure with each.
  func run(
    _ query: StoreQuery,
    _ translation: QueryTranslation,
    _ output: SelectOutput,
    on connection: SQLiteConnection,
    _ body: (SQLiteStatement) throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    if case .keys(let keys) = query.scope, query.isPlain {
      guard keys.count > ParameterList<Int64>.greatestCount else {
        return try run(query, output, keys: keys, on: connection, body)
      }
      let sorted = Set(keys).sorted()
      // Several statements must see one snapshot; a transaction that is open has one.
      guard connection.isIdle else {
        return try run(query, output, keys: sorted, on: connection, body)
      }
      return try connection.transaction(.deferred) { () throws(SQLiteFailure) in
        try run(query, output, keys: sorted, on: connection, body)
      }
    }
    if query.isPlain, let (key, bindings) = relatedKey(of: query, output) {
      let statement = try connection.statement(key) { () throws(SQLiteFailure) in
        select(query, translation, output).sql
      }
      defer { statement.clear() }
      try statement.bind(bindings)
      return try body(statement)
    }
    let text = select(query, translation, output)
    let statement = try connection.statement(.text(text.sql)) { () throws(SQLiteFailure) in
      text.sql
    }
    defer { statement.clear() }
    try statement.bind(text.bindings)
    try body(statement)
  }

  /// Looks keys up, as many at a time as a list takes.
  private func run(
    _ query: StoreQuery,
    _ output: SelectOutput,
    keys: [Int64],
    on connection: SQLiteConnection,
    _ body: (SQLiteStatement) throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    for list in keys.parameterLists {
      let key = StatementKey.keys(
        entity: query.entity,
        family: query.includesSubentities,
        output: output,
        bucket: list.count
      )
      let statement = try connection.statement(key) { () throws(SQLiteFailure) in
        select(query, QueryTranslation(), output, keyCount: list.count).sql
      }
      defer { statement.clear() }
      statement.bind(list)
      try body(statement)
    }
  }

  func select(
    _ query: StoreQuery,
    _ translation: QueryTranslation,
    _ output: SelectOutput,
    keyCount: Int? = nil
  ) -> SelectStatement {
    var builder = SelectBuilder(query, output: output, schema: schema, translation: translation)
    return builder.build(columns: plan(of: query).columns, keyCount: keyCount)
  }

  /// The kept statement for the members of a relationship, with its bindings.
  private func relatedKey(
    of query: StoreQuery,
    _ output: SelectOutput
  ) -> (StatementKey, [SQLValue])? {
    func key(_ relationship: RelationshipLayout, isOne: Bool) -> StatementKey? {
      guard case .toMany(let number) = relationship.place else { return nil }
      return .related(
        entity: query.entity,
        family: query.includesSubentities,
        output: output,
        owner: relationship.entity,
        toMany: number,
        one: isOne
      )
    }
    switch query.scope {
    case .related(let relationship, let owner):
      return key(relationship, isOne: false).map { ($0, [.integer(owner)]) }
    case .relatedMember(let relationship, let owner, let member):
      return key(relationship, isOne: true).map { ($0, [.integer(owner), .integer(member)]) }
    case .all, .keys: return nil
    }
  }
}
