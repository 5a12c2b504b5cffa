// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// Finds the to-one relationships through which a query looks at other objects.
///
/// With them, a change of one of these objects leads back to the rows that it concerns. Collections,
/// subqueries and the like have no such way back.
struct ReachingPaths {
  private let model: ModelLayout
  private let entity: Int
  private var paths: Set<ResultsQuery.ReachingPath> = []
  /// Whether other objects are reached in another way.
  private var hasOthers = false

  private init(_ model: ModelLayout, entity: Int) {
    self.model = model
    self.entity = entity
  }

  /// The paths of a query's condition and sorts; `nil` when some objects are reached in another way.
  static func paths(
    of query: StoreQuery,
    in model: ModelLayout
  ) throws(PerennialError) -> [ResultsQuery.ReachingPath]? {
    var finder = ReachingPaths(model, entity: query.entity)
    for operand in try query.predicate?.checked().operands ?? [] { finder.visit(operand) }
    for sort in query.sorts { finder.add(sort.steps) }
    return finder.hasOthers ? nil : Array(finder.paths)
  }

  private mutating func visit(_ node: ExpressionNode) {
    switch node {
    case .constant, .object: return
    case .keyPath(.object, let steps): add(steps)
    case .list(let nodes), .function(_, let nodes): for node in nodes { visit(node) }
    case .cast(let node, _): visit(node)
    case .keyPath, .variable, .aggregate, .index, .subquery, .ternary: hasOthers = true
    }
  }

  /// Notes the objects that a key path goes through.
  private mutating func add(_ steps: [String]) {
    var current = entity
    for (index, name) in steps.enumerated() {
      let relationships = model.entities[current].family
        .compactMap { model.entities[$0].relationship(named: name) }
      guard let relationship = relationships.first else { return }
      guard case .slot = relationship.place,
        relationships.allSatisfy({ $0.destination == relationship.destination })
      else {
        hasOthers = true
        return
      }
      current = relationship.destination
      if index + 1 < steps.count {
        let root = model.entities[current].root
        paths.insert(.init(steps: Array(steps.prefix(index + 1)), root: root))
      }
    }
  }
}
