// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

/// Answers a projection in memory, for stores and contexts that have no other way.
package struct ProjectionEvaluator {
  /// A row as expressions see it, and its key.
  package typealias Source = (source: any KeyValueSource, key: Int64)

  /// A result on its way: its values, and what decides about its place.
  private struct Result {
    var values: [PropertyValue]
    var sorts: [PropertyValue]
    /// What orders results that are equal under all sorts.
    var ties: [PropertyValue]
  }

  private let query: ProjectionQuery

  package init(_ query: ProjectionQuery) { self.query = query }

  /// The results for the rows that the query looks at, in any order.
  ///
  /// - Throws: Values that cannot be computed or compared (200002 and 200004).
  package func evaluate(_ rows: [Source]) throws(PerennialError) -> ValueTable {
    let rows = rows.sorted { $0.key < $1.key }
    var results: [Result] = []
    if let groups = query.groups {
      for group in try self.groups(of: rows, by: groups) {
        if let result = try result(of: group) { results.append(result) }
      }
    } else {
      results.reserveCapacity(rows.count)
      for row in rows {
        let evaluator = PredicateEvaluator(.object(row.source))
        results.append(try result(evaluator, ties: [.integer(row.key)]))
      }
    }
    if query.isDistinct { results = distinct(results) }
    if !query.sorts.isEmpty { sort(&results) }
    return table(window(results))
  }

  /// The results for the rows that the query looks at.
  package func evaluate(
    _ rows: [PageRow],
    reader: some RowReader
  ) throws(PerennialError) -> ValueTable {
    try evaluate(rows.map { (RowSource($0, reader: reader), $0.key) })
  }

  // MARK: Values

  private func result(
    _ evaluator: PredicateEvaluator,
    ties: [PropertyValue]
  ) throws(PerennialError) -> Result {
    var values: [PropertyValue] = []
    values.reserveCapacity(query.columns.count)
    for column in query.columns {
      let value = try self.value(of: column.expression, evaluator)
      values.append(
        column.resultType == .undefined ? value : value.converted(to: column.resultType)
      )
    }
    var sorts: [PropertyValue] = []
    for sort in query.sorts {
      if let column = sort.column {
        sorts.append(values[column])
      } else {
        sorts.append(try value(of: sort.expression, evaluator))
      }
    }
    return Result(values: values, sorts: sorts, ties: query.isDistinct ? values : ties)
  }

  private func value(
    of expression: ExpressionNode,
    _ evaluator: PredicateEvaluator
  ) throws(PerennialError) -> PropertyValue {
    switch try evaluator.value(of: expression) {
    case .null: return .null
    case .scalar(let value): return value
    case .object(let source): return source.identity.map { .objectID($0) } ?? .null
    case .list, .dictionary:
      throw PerennialError(
        .typeMismatch,
        "A value to fetch is a list, not a single value.",
        recovery: "ask for one value of it: its @count, its greatest, or the mean"
      )
    }
  }

  // MARK: Groups

  /// Rows of one group, and the values that they have in common.
  private struct Group {
    let key: [PropertyValue]
    var rows: [Source]
  }

  private func groups(
    of rows: [Source],
    by expressions: [ExpressionNode]
  ) throws(PerennialError) -> [Group] {
    guard !expressions.isEmpty else { return [Group(key: [], rows: rows)] }
    var groups: [Group] = []
    var places: [[PropertyValue]: Int] = [:]
    for row in rows {
      let evaluator = PredicateEvaluator(.object(row.source))
      var key: [PropertyValue] = []
      for expression in expressions { key.append(try value(of: expression, evaluator)) }
      if let place = places[key] {
        groups[place].rows.append(row)
      } else {
        places[key] = groups.count
        groups.append(Group(key: key, rows: [row]))
      }
    }
    return groups
  }

  /// The result of a group; `nil` when the condition on groups leaves it out.
  private func result(of group: Group) throws(PerennialError) -> Result? {
    guard case .variable(let name) = ProjectionQuery.groupRows else { return nil }
    let evaluator = PredicateEvaluator(
      group.rows.first.map { .object($0.source) } ?? .null,
      variables: [name: .list(group.rows.map { .object($0.source) })]
    )
    if let having = query.having, try !evaluator.evaluate(having) { return nil }
    return try result(evaluator, ties: group.key)
  }

  // MARK: Order

  private func distinct(_ results: [Result]) -> [Result] {
    var seen: Set<[PropertyValue]> = []
    return results.filter { seen.insert($0.values).inserted }
  }

  private func sort(_ results: inout [Result]) {
    let isFalling =
      query.groups == nil && !query.isDistinct && query.sorts.last?.sort.ascending == false
    let tie = FetchSort("", ascending: !isFalling)
    results.sort { left, right in
      for (number, sort) in query.sorts.enumerated() {
        let order = sort.sort.order(left.sorts[number], right.sorts[number])
        if order != 0 { return order < 0 }
      }
      for (left, right) in zip(left.ties, right.ties) {
        let order = tie.order(left, right)
        if order != 0 { return order < 0 }
      }
      return false
    }
  }

  private func window(_ results: [Result]) -> ArraySlice<Result> {
    let rest = results.dropFirst(query.offset)
    return query.limit > 0 ? rest.prefix(query.limit) : rest
  }

  private func table(_ results: ArraySlice<Result>) -> ValueTable {
    var table = ValueTable(columnCount: query.columns.count)
    table.values.reserveCapacity(results.count * query.columns.count)
    for result in results { table.values += result.values }
    return table
  }
}

extension PropertyValue {
  /// A number as a value of another type; other values, and numbers that it cannot hold, as they are.
  package func converted(to type: AttributeType) -> PropertyValue {
    switch type {
    case .int16, .int32, .int64:
      return wholeNumber ?? self
    case .double, .float:
      switch self {
      case .integer(let number): return .double(Double(number))
      case .boolean(let flag): return .double(flag ? 1 : 0)
      case .decimal(let number): return .double(number.closestDouble)
      default: return self
      }
    case .decimal:
      switch self {
      case .integer, .double, .boolean: return CastType.decimal.convert(self) ?? self
      default: return self
      }
    case .bool:
      if case .integer(let number) = self { return .boolean(number != 0) }
      return self
    case .date:
      switch self {
      case .integer, .double: return CastType.date.convert(self) ?? self
      default: return self
      }
    case .string:
      switch self {
      case .integer, .double, .decimal: return CastType.string.convert(self) ?? self
      default: return self
      }
    default: return self
    }
  }

  private var wholeNumber: PropertyValue? {
    switch self {
    case .boolean(let flag): .integer(flag ? 1 : 0)
    case .double(let number): Int64(exactly: number.rounded(.towardZero)).map { .integer($0) }
    case .decimal(let number):
      Int64(exactly: number.closestDouble.rounded(.towardZero)).map { .integer($0) }
    default: nil
    }
  }
}
