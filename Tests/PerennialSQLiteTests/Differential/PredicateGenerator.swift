// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import RandomTesting

/// Makes predicates over the whole language for the rows of a world.
///
/// They fit the model, and aim at being true for some rows and false for others: constants are taken
/// from what the other side of the comparison gives for some row.
struct PredicateGenerator {
  /// What names stand for: the entities of SELF and of the variables, the newest last.
  struct Scope {
    var object: Int
    var variables: [(name: String, entity: Int)] = []
  }

  var random: SeededGenerator
  let model: ModelLayout
  let graph: WorldGraph
  private let sources: [[WorldSource]]
  private let attributes: [[Attribute]]

  init(_ graph: WorldGraph, seed: UInt64) {
    random = SeededGenerator(seed: seed)
    model = graph.world.model
    self.graph = graph
    sources = model.entities.map { graph.sources(of: $0.index) }
    let model = model
    attributes = model.entities.map { Attribute.all(of: $0, in: model) }
  }

  mutating func pick<Element>(_ values: [Element]) -> Element {
    values[random.chance(values.count)]
  }

  /// True once in so many times.
  mutating func once(in count: Int) -> Bool { random.chance(count) == 0 }

  // MARK: Conditions

  /// A condition on objects of an entity.
  mutating func predicate(on entity: Int) -> PredicateNode {
    predicate(Scope(object: entity), depth: 1 + random.chance(3))
  }

  mutating func predicate(_ scope: Scope, depth: Int) -> PredicateNode {
    guard depth > 0 else { return condition(scope, depth: 0) }
    switch random.chance(16) {
    case 0, 1, 2: return .conjunction(predicates(scope, depth - 1))
    case 3, 4, 5: return .disjunction(predicates(scope, depth - 1))
    case 6: return .not(predicate(scope, depth: depth - 1))
    case 7 where once(in: 4): return .constant(once(in: 2))
    default: return condition(scope, depth: depth)
    }
  }

  private mutating func predicates(_ scope: Scope, _ depth: Int) -> [PredicateNode] {
    (0..<(2 + random.chance(2))).map { _ in predicate(scope, depth: depth) }
  }

  private mutating func condition(_ scope: Scope, depth: Int) -> PredicateNode {
    switch random.chance(20) {
    case 0, 1, 2, 3: return .comparison(comparison(with: attribute(scope), scope))
    case 4, 5, 6: return .comparison(text(scope, depth))
    case 7: return .comparison(inList(scope, depth))
    case 8: return .comparison(between(scope, depth))
    case 9: return .comparison(twoValues(scope, depth))
    case 10, 11, 12: return .comparison(quantified(scope, depth))
    case 13, 14: return .comparison(objects(scope, depth))
    case 15, 16: return .comparison(counted(scope, depth))
    case 17: return .comparison(membership(scope, depth))
    default: return .comparison(comparison(with: value(anyKind(), scope, depth), scope))
    }
  }

  mutating func anyKind() -> Kind {
    pick([.integer, .integer, .double, .decimal, .string, .string, .date, .uuid, .url, .data])
  }

  /// What is compared in any way with a constant that fits.
  private mutating func comparison(with left: ExpressionNode, _ scope: Scope) -> Comparison {
    var comparator = pick(
      [.equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
        as [Comparison.Operator]
    )
    let right = constant(fitting: left, scope)
    // Few things are ordered; the others are equal or not.
    if case .constant(.uuid) = right, !once(in: 8) { comparator = .equal }
    if case .constant(.null) = right, !once(in: 3) { comparator = pick([.equal, .notEqual]) }
    let isString = if case .constant(.string) = right { true } else { false }
    let options = isString && once(in: 3) ? self.options() : []
    return once(in: 8)
      ? Comparison(right, comparator, left, options: options)
      : Comparison(left, comparator, right, options: options)
  }

  mutating func options() -> StringComparisonOptions {
    pick(
      [
        [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        .normalized, .widthInsensitive, .localized, [.localized, .caseInsensitive],
        [.normalized, .caseInsensitive],
      ] as [StringComparisonOptions]
    )
  }

  private mutating func inList(_ scope: Scope, _ depth: Int) -> Comparison {
    let left = once(in: 3) ? value(anyKind(), scope, depth) : attribute(scope)
    let items = (0..<random.chance(5)).map { _ in
      once(in: 12) ? attribute(scope) : constant(fitting: left, scope)
    }
    let options = once(in: 5) ? self.options() : []
    return once(in: 6)
      ? Comparison(.list(items), .contains, left, options: options)
      : Comparison(left, .isIn, .list(items), options: options)
  }

  private mutating func between(_ scope: Scope, _ depth: Int) -> Comparison {
    let kind = pick([.integer, .double, .decimal, .string, .date] as [Kind])
    let left = once(in: 3) ? value(kind, scope, depth) : attribute(scope, of: [kind])
    let bounds = [constant(fitting: left, scope), constant(fitting: left, scope)]
    return Comparison(left, .between, .list(bounds), options: once(in: 4) ? options() : [])
  }

  /// Two values of rows.
  private mutating func twoValues(_ scope: Scope, _ depth: Int) -> Comparison {
    let kind = anyKind()
    let other: Set<Kind> = kind.isNumber && once(in: 2) ? [.integer, .double, .decimal] : [kind]
    let comparator = pick(
      [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual] as [Comparison.Operator]
    )
    let left = once(in: 3) ? value(kind, scope, depth) : attribute(scope, of: [kind])
    return Comparison(
      left,
      comparator,
      attribute(scope, of: other),
      options: kind == .string && once(in: 4) ? options() : []
    )
  }

  // MARK: Constants

  /// The value that an expression has for some row, or one beside it; now and then any other.
  mutating func constant(fitting node: ExpressionNode, _ scope: Scope) -> ExpressionNode {
    if once(in: 12) { return .null }
    let sample = sample(of: node, scope)
    if once(in: 25) {
      let type = pick([.int64, .double, .decimal, .string, .bool, .date, .uuid] as [AttributeType])
      return .constant(RandomValues.value(of: type, using: &random))
    }
    switch sample {
    case .integer(let number) where once(in: 3):
      return .constant(
        pick([.integer(number &+ 1), .double(Double(number)), .decimal(Decimal(number))])
      )
    case .double(let number) where number.isFinite && once(in: 3):
      return .constant(.double(pick([number + 0.25, number.nextUp, -number])))
    case .double where once(in: 20): return .constant(.double(.nan))
    case .boolean(let flag) where once(in: 2): return .constant(.integer(flag ? 1 : 0))
    case .decimal(let number) where once(in: 3):
      return .constant(pick([.double(number.closestDouble), .decimal(number + 1)]))
    default: return .constant(sample)
    }
  }

  /// The scalar that an expression has for random rows; null when it fails.
  mutating func sample(of node: ExpressionNode, _ scope: Scope) -> PropertyValue {
    for _ in 0..<3 {
      guard let object = row(of: scope.object) else { return .null }
      var variables: [String: EvaluationValue] = [:]
      for (name, entity) in scope.variables {
        variables[name] = row(of: entity).map { .object($0) } ?? .null
      }
      let evaluator = PredicateEvaluator(.object(object), variables: variables)
      guard let value = try? evaluator.value(of: node) else { continue }
      if let scalar = scalar(of: value), !scalar.isNull { return scalar }
    }
    return .null
  }

  /// A scalar of a value: its own, or that of an element.
  private mutating func scalar(of value: EvaluationValue) -> PropertyValue? {
    switch value {
    case .scalar(let scalar): scalar
    case .list(let elements): elements.isEmpty ? nil : scalar(of: pick(elements))
    case .object(let source): source.identity.map { .objectID($0) }
    case .null, .dictionary: nil
    }
  }

  mutating func row(of entity: Int) -> WorldSource? {
    sources[entity].isEmpty ? nil : pick(sources[entity])
  }

  /// The attributes of an entity and its subentities.
  func attributes(of entity: Int) -> [Attribute] { attributes[entity] }
}
