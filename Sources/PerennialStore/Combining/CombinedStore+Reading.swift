// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

extension CombinedStore {
  package func fetchRows(
    _ query: StoreQuery,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let parts = parts(of: query)
    if parts.count == 1, let part = parts.first {
      return try part.member.fetchRows(part.query) { _, page in body(page) }
    }
    guard !query.sorts.isEmpty || query.hasWindow else {
      for part in parts { try part.member.fetchRows(part.query) { _, page in body(page) } }
      return
    }
    let rows = try orderedRows(query, parts)
    for page in RowQuery.pages(Array(rows[query.window(of: rows.count)]), of: model) { body(page) }
  }

  /// The rows of several stores in a query's order, its window not applied.
  private func orderedRows(
    _ query: StoreQuery,
    _ parts: [Part]
  ) throws(PerennialError) -> [PageRow] {
    var rows: [PageRow] = []
    var sources: [RowSource] = []
    for part in parts {
      let reader = RelatedRows(part.member.store)
      var own = part.query.widened
      // The sorts look at slots of their own.
      if !query.sorts.isEmpty { own.slots = nil }
      try part.member.fetchRows(own) { page, moved in
        for index in 0..<page.count {
          rows.append(PageRow(page: moved, index: index))
          sources.append(RowSource(PageRow(page: page, index: index), reader: reader))
        }
      }
    }
    guard !query.sorts.isEmpty else { return rows }
    return try RowQuery.order(sources, keys: rows.map(\.key), by: query.sorts).map { rows[$0] }
  }

  package func fetchReferences(
    _ query: StoreQuery
  ) throws(PerennialError) -> [ObjectReference] {
    let parts = parts(of: query)
    if parts.count == 1, let part = parts.first {
      return try part.member.combined(part.member.store.fetchReferences(part.query))
    }
    guard query.sorts.isEmpty else { return try fetchSortKeys(query, []).map(\.reference) }
    var references: [ObjectReference] = []
    for part in parts {
      let own = try part.member.store.fetchReferences(part.query.widened)
      references += try part.member.combined(own)
    }
    return Array(references[query.window(of: references.count)])
  }

  package func fetchSortKeys(
    _ query: StoreQuery,
    _ sorts: [FetchSort]
  ) throws(PerennialError) -> [SortKeys] {
    let parts = parts(of: query)
    if parts.count == 1, let part = parts.first {
      return try part.member.combined(part.member.store.fetchSortKeys(part.query, sorts))
    }
    var rows: [SortKeys] = []
    for part in parts {
      let own = try part.member.store.fetchSortKeys(part.query.widened, query.sorts + sorts)
      rows += try part.member.combined(own)
    }
    if !query.sorts.isEmpty { rows.sort { query.sorts.areInOrder($0, $1) } }
    return rows[query.window(of: rows.count)].map {
      SortKeys(reference: $0.reference, values: Array($0.values.dropFirst(query.sorts.count)))
    }
  }

  package func count(_ query: StoreQuery) throws(PerennialError) -> Int {
    let parts = parts(of: query)
    if parts.count == 1, let part = parts.first { return try part.member.store.count(part.query) }
    var total = 0
    for part in parts { total += try part.member.store.count(part.query.widened) }
    return query.window(of: total).count
  }

  package func fetchValues(_ query: ProjectionQuery) throws(PerennialError) -> ValueTable {
    let parts = parts(of: query.rows)
    if parts.count == 1, let part = parts.first {
      var own = query
      own.rows = part.query
      return try part.member.store.fetchValues(own)
    }
    var rows = query.rows
    rows.slots = nil
    let all = try allRows(rows)
    return try ProjectionEvaluator(query).evaluate(all, reader: RelatedRows(self))
  }

  // MARK: Members of relationships

  package func fetchMembers(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) throws(PerennialError) -> MemberRows {
    var rows = MemberRows()
    for (member, own) in groups(of: owners) {
      guard let first = own.first,
        !rows.isFull(for: StoreKey.combined(first, store: member.number), limit: limit)
      else { break }
      let found = try member.store.fetchMembers(
        of: relationship,
        owners: own,
        limit: limit > 0 ? max(1, limit - rows.rowCount) : 0
      )
      try rows.append(found, store: member.number) { page throws(PerennialError) in
        try member.combined(page)
      }
      if rows.end < .max { break }
    }
    return rows
  }

  package func countMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: Int] {
    var counts: [Int64: Int] = [:]
    for (member, own) in groups(of: owners) {
      for (owner, count) in try member.store.countMembers(of: relationship, owners: own) {
        counts[StoreKey.combined(owner, store: member.number)] = count
      }
    }
    return counts
  }

  /// The owners of every store, ascending, in its own keys.
  private func groups(of owners: [Int64]) -> [(Member, [Int64])] {
    let groups = Dictionary(grouping: owners) { StoreKey.store(of: $0) }
    return members.compactMap { member in
      groups[member.number].map { (member, $0.map(StoreKey.own).sorted()) }
    }
  }

  // MARK: Explaining

  package func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
    var parts: [FetchExplanation] = []
    for part in self.parts(of: query) { parts.append(try part.member.store.explain(part.query)) }
    return FetchExplanation(of: parts)
  }

  package func explain(_ query: ProjectionQuery) throws(PerennialError) -> FetchExplanation {
    let parts = parts(of: query.rows)
    guard parts.count == 1, let part = parts.first else { return try explainInMemory(query) }
    var own = query
    own.rows = part.query
    return try part.member.store.explain(own)
  }

  package func checkForSQL(_ query: StoreQuery) throws(PerennialError) {
    for part in parts(of: query) { try part.member.store.checkForSQL(part.query) }
  }

  package func checkForSQL(_ query: ProjectionQuery) throws(PerennialError) {
    for part in parts(of: query.rows) {
      var own = query
      own.rows = part.query
      try part.member.store.checkForSQL(own)
    }
  }

  package func checkForIndex(_ query: StoreQuery) throws(PerennialError) {
    for part in parts(of: query) { try part.member.store.checkForIndex(part.query) }
  }

  package func fetchKeys(_ sql: RawSQL) throws(PerennialError) -> [Int64] {
    let members = members
    guard members.count == 1, let member = members.first else {
      throw PerennialError(
        .invalidRequest,
        "A statement of SQL cannot be given to several stores at once.",
        recovery: "use a predicate, or open the store in a container of its own"
      )
    }
    return try member.combined(member.store.fetchKeys(sql))
  }
}

extension [FetchSort] {
  /// Whether one row comes before another, whose first values are those under the sorts.
  ///
  /// Equal ones come in the order of their keys, which falls where the last sort falls.
  fileprivate func areInOrder(_ left: SortKeys, _ right: SortKeys) -> Bool {
    for (number, sort) in enumerated() {
      let order = sort.order(left.values[number], right.values[number])
      if order != 0 { return order < 0 }
    }
    return last?.ascending == false
      ? left.reference.key > right.reference.key : left.reference.key < right.reference.key
  }
}

extension FetchExplanation {
  /// What several stores do.
  fileprivate init(of parts: [FetchExplanation]) {
    self.init(
      sql: parts.map(\.sql).filter { !$0.isEmpty }.joined(separator: ";\n"),
      bindings: parts.flatMap(\.bindings),
      plan: parts.flatMap(\.plan),
      inMemory: parts.flatMap(\.inMemory)
        + (parts.count > 1 ? ["merge: \(parts.count) stores"] : [])
    )
  }
}
