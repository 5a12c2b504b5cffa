// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

/// What a request for values says, by names.
package struct ProjectionRequest: Sendable {
  package var properties: [PropertyToFetch] = []
  package var groups: [String] = []
  package var having: FetchPredicate?
  package var isDistinct = false
  package var sorts: [FetchSort] = []
  package var limit = 0
  package var offset = 0

  package init() {}
}

/// Makes a projection of a request, with every name and combination checked.
package struct ProjectionPlanner {
  private let entity: EntityLayout
  private let scope: PredicateWalk.Scope
  private var walk: PredicateWalk
  /// The computed values by name.
  private var expressions: [String: ExpressionNode] = [:]
  private var query: ProjectionQuery

  private init(_ rows: StoreQuery, of model: ModelLayout) {
    entity = model.entities[rows.entity]
    scope = PredicateWalk.Scope(object: .objects(entity.index))
    walk = PredicateWalk(model: model)
    query = ProjectionQuery(rows: rows)
  }

  /// The projection of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - rows: The query of the rows, checked, without sorts and window.
  ///   - model: The model.
  /// - Returns: The projection.
  /// - Throws: `unknownName` (200003), a format error (200001), or `invalidRequest` (200008) for
  ///   what cannot be fetched together.
  package static func plan(
    _ request: ProjectionRequest,
    of rows: StoreQuery,
    in model: ModelLayout
  ) throws(PerennialError) -> ProjectionQuery {
    var planner = ProjectionPlanner(rows, of: model)
    try planner.plan(request)
    return planner.query
  }

  private mutating func plan(_ request: ProjectionRequest) throws(PerennialError) {
    for property in request.properties { try note(property) }
    var groups: [ExpressionNode] = []
    for name in request.groups { groups.append(try group(name)) }
    for property in columns(of: request) { try addColumn(property) }
    let aggregates = query.columns.contains { $0.expression.hasGroupRows }
    if aggregates || !groups.isEmpty {
      query.groups = groups
      for column in query.columns { try check(column.expression, column.name, groups) }
    }
    try addCondition(request, groups)
    query.isDistinct = request.isDistinct
    for sort in request.sorts { try add(sort) }
    query.limit = request.limit
    query.offset = request.offset
    query.reached = walk.reached
  }

  // MARK: Columns

  private mutating func note(_ property: PropertyToFetch) throws(PerennialError) {
    guard case .expression(let description) = property else { return }
    let expression = try description.checked()
    try FetchPredicate(.comparison(Comparison(expression, .equal, .null))).checkVariables()
    if case .many = try walk.type(of: expression, scope: scope) {
      throw .isToMany(description.name, of: entity)
    }
    guard expressions.updateValue(marked(expression), forKey: description.name) == nil else {
      throw .invalidRequest(
        "Two values to fetch are called '\(description.name)'.",
        "give each ExpressionDescription a name of its own",
        of: entity
      )
    }
  }

  /// The expression with its aggregates over rows told apart from those over a collection.
  private func marked(_ expression: ExpressionNode) -> ExpressionNode {
    expression.mapping { node in
      guard case .function(let function, let operands) = node, function.isStatistic,
        operands.count == 1, !isCollection(operands[0])
      else { return nil }
      return .function(
        function,
        [.aggregate(ProjectionQuery.groupRows, .unionOfObjects, operands[0])]
      )
    }
  }

  private func isCollection(_ expression: ExpressionNode) -> Bool {
    switch expression {
    case .list, .subquery, .aggregate(_, .unionOfObjects, _),
      .aggregate(_, .distinctUnionOfObjects, _):
      return true
    default:
      var walk = walk
      if case .many? = try? walk.type(of: expression, scope: scope) { return true }
      return false
    }
  }

  /// What is fetched when nothing is named: what groups have in common, or all stored attributes.
  private func columns(of request: ProjectionRequest) -> [PropertyToFetch] {
    if !request.properties.isEmpty { return request.properties }
    if !request.groups.isEmpty { return request.groups.map { .property($0) } }
    return entity.slots.filter { $0.attribute != nil && !$0.isTransient }.map {
      .property($0.name)
    }
  }

  private mutating func addColumn(_ property: PropertyToFetch) throws(PerennialError) {
    let expression: ExpressionNode
    var resultType = AttributeType.undefined
    switch property {
    case .property(let name):
      if let computed = expressions[name] {
        expression = computed
      } else {
        expression = try path(name)
      }
    case .expression(let description):
      expression = expressions[description.name] ?? .null
      resultType = description.expressionResultType
    }
    guard !query.columns.contains(where: { $0.name == property.name }) else {
      throw .invalidRequest(
        "'\(property.name)' is fetched twice.",
        "name it once, or give the ExpressionDescription another name",
        of: entity
      )
    }
    query.columns.append(
      ProjectionQuery.Column(
        name: property.name,
        expression: expression,
        type: type(of: expression, in: entity.index),
        resultType: resultType
      )
    )
  }

  /// A property by its key path.
  private mutating func path(_ name: String) throws(PerennialError) -> ExpressionNode {
    let steps = FetchSort(name).steps
    let path = ExpressionNode.object.appending(steps)
    switch try walk.type(of: steps, from: .objects(entity.index)) {
    case .attribute, .objects, .identity: return path
    case .many: throw .isToMany(name, of: entity)
    case .unknown:
      if case .object = type(of: path, in: entity.index) { return path }
      throw .invalidRequest(
        "'\(name)' of '\(entity.name)' has several values, which cannot be fetched as one.",
        "name its elements: '\(name).…'",
        of: entity
      )
    }
  }

  // MARK: Groups

  private mutating func group(_ name: String) throws(PerennialError) -> ExpressionNode {
    guard let expression = expressions[name] else { return try path(name) }
    guard !expression.hasGroupRows else {
      throw .invalidRequest(
        "The request for '\(entity.name)' is grouped by '\(name)', which is computed of a whole group.",
        "group by a property, and put conditions on '\(name)' into havingPredicate",
        of: entity
      )
    }
    return expression
  }

  private mutating func addCondition(
    _ request: ProjectionRequest,
    _ groups: [ExpressionNode]
  ) throws(PerennialError) {
    guard let node = try request.having?.checked() else { return }
    guard !groups.isEmpty else {
      throw .invalidRequest(
        "The request for '\(entity.name)' has a havingPredicate, but no propertiesToGroupBy.",
        "name what to group by, or put the condition into the predicate",
        of: entity
      )
    }
    let named = node.mapping { expression in
      switch expression {
      case .variable(let name): expressions[name]
      case .keyPath(.object, let steps) where steps.count == 1 && !hasProperty(steps[0]):
        expressions[steps[0]]
      default: nil
      }
    }
    // Names that stand for aggregates have been checked; their marks mean nothing to the walk.
    let rest = named.mapping { $0.hasGroupRows ? .null : nil }
    try FetchPredicate(rest).checkVariables()
    try walk.visit(rest, scope: scope)
    let condition = named.mapping { marked($0) }
    for operand in condition.operands { try check(operand, "the havingPredicate", groups) }
    query.having = condition
  }

  private func hasProperty(_ name: String) -> Bool {
    var walk = walk
    return (try? walk.type(of: [name], from: .objects(entity.index))) != nil
  }

  /// Throws when a value is not the same in all rows of a group.
  private func check(
    _ expression: ExpressionNode,
    _ name: String,
    _ groups: [ExpressionNode]
  ) throws(PerennialError) {
    guard let part = expression.loosePart(groups) else { return }
    let what = part.pathText.map { "'\($0)'" } ?? "a value"
    throw .invalidRequest(
      "'\(name)' needs \(what), which is neither grouped nor an aggregate.",
      "add it to propertiesToGroupBy, or aggregate it: min(…), max(…), count(…)",
      of: entity
    )
  }

  // MARK: Sorts

  private mutating func add(_ sort: FetchSort) throws(PerennialError) {
    let expression: ExpressionNode
    let column = query.columns.firstIndex { $0.name == sort.key }
    if let column {
      expression = query.columns[column].expression
    } else {
      expression = try path(sort.key)
    }
    if case .object = type(of: expression, in: entity.index) {
      throw .notSortable(sort.key, of: entity)
    }
    if column == nil, query.isDistinct {
      throw .invalidRequest(
        "Distinct values are sorted by '\(sort.key)', which is not fetched.",
        "add it to propertiesToFetch",
        of: entity
      )
    }
    if column == nil, let groups = query.groups { try check(expression, "the sort", groups) }
    query.sorts.append(ProjectionQuery.Sort(expression: expression, column: column, sort: sort))
  }
}

// MARK: Types

extension ProjectionPlanner {
  /// What an expression gives for rows of an entity.
  private func type(of expression: ExpressionNode, in entity: Int) -> ProjectedType {
    switch expression {
    case .object: return .object(entity)
    case .constant(.integer): return .attribute(.int64)
    case .constant(.double): return .attribute(.double)
    case .constant(.string): return .attribute(.string)
    case .keyPath(.object, let steps): return type(of: steps, in: entity)
    case .function(.length, _), .function(.bitwiseAnd, _), .function(.bitwiseOr, _),
      .function(.bitwiseXor, _), .aggregate(_, .count, _):
      return .attribute(.int64)
    case .function(.noindex, let operands) where operands.count == 1:
      return type(of: operands[0], in: entity)
    case .function(let function, let operands):
      guard operands.count == 1,
        case .aggregate(ProjectionQuery.groupRows, _, let value) = operands[0]
      else { return .unknown }
      return aggregated(function, type(of: value, in: entity))
    default: return .unknown
    }
  }

  private func type(of steps: [String], in entity: Int) -> ProjectedType {
    if let last = steps.last, ReservedNames.isIdentity(last) {
      return type(of: ExpressionNode.object.appending(steps.dropLast()), in: entity)
    }
    var walk = walk
    switch try? walk.type(of: steps, from: .objects(entity)) {
    case .attribute(let slot): return slot.attributeType.map { .attribute($0) } ?? .unknown
    case .objects(let entity): return .object(entity)
    default: return .unknown
    }
  }

  private func aggregated(_ function: PredicateFunction, _ type: ProjectedType) -> ProjectedType {
    if function == .count { return .attribute(.int64) }
    guard case .attribute(let type) = type else { return .unknown }
    switch (function, type) {
    case (.min, _), (.max, _): return .attribute(type)
    case (.sum, .int16), (.sum, .int32), (.sum, .int64), (.sum, .bool): return .attribute(.int64)
    case (.average, .int16), (.average, .int32), (.average, .int64), (.average, .bool):
      return .attribute(.double)
    case (.sum, .double), (.sum, .float), (.average, .double), (.average, .float):
      return .attribute(.double)
    default: return .unknown
    }
  }
}

extension PerennialError {
  /// A request that asks for what does not go together.
  package static func invalidRequest(
    _ message: String,
    _ recovery: String,
    of entity: EntityLayout
  ) -> PerennialError {
    PerennialError(.invalidRequest, message, recovery: recovery, entity: entity.name)
  }

  fileprivate static func isToMany(_ name: String, of entity: EntityLayout) -> PerennialError {
    PerennialError(
      .invalidRequest,
      "'\(name)' of '\(entity.name)' leads through a to-many relationship, which cannot be fetched as "
        + "a value.",
      recovery: "fetch a number of it, such as '\(name).@count', or objects with prefetching(_:)",
      entity: entity.name,
      property: name
    )
  }
}
