// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// Conditions on objects and collections of them.
extension PredicateGenerator {
  /// ANY, ALL and NONE.
  mutating func quantified(_ scope: Scope, _ depth: Int) -> Comparison {
    guard let (collection, entity, _) = objects(from: scope, depth) else {
      return Comparison(attribute(scope), .notEqual, .null)
    }
    let modifier = pick([.any, .any, .all, .none, .none] as [Comparison.Modifier])
    if once(in: 6) {
      let right = objectConstant(of: entity, scope)
      let left = once(in: 4) ? collection.appending([pick(["objectID", "self"])]) : collection
      return Comparison(left, pick([.equal, .notEqual]), right, modifier: modifier)
    }
    guard let attribute = attribute(of: entity) else {
      return Comparison(collection, .equal, .null, modifier: modifier)
    }
    let path = ExpressionNode.object.appending(attribute.steps)
    let left: ExpressionNode =
      once(in: 12)
      ? .aggregate(collection, pick([.unionOfObjects, .distinctUnionOfObjects]), path)
      : collection.appending(attribute.steps)
    var comparison = elementComparison(left, attribute.kind, scope)
    comparison.modifier = modifier
    return comparison
  }

  private mutating func elementComparison(
    _ left: ExpressionNode,
    _ kind: Kind,
    _ scope: Scope
  ) -> Comparison {
    if kind == .string, once(in: 2) { return textComparison(left, scope) }
    switch random.chance(8) {
    case 0:
      let items = (0..<random.chance(4)).map { _ in constant(fitting: left, scope) }
      return Comparison(left, .isIn, .list(items), options: once(in: 4) ? options() : [])
    case 1 where kind.isNumber || kind == .date:
      let bounds = [constant(fitting: left, scope), constant(fitting: left, scope)]
      return Comparison(left, .between, .list(bounds))
    case 2:
      return Comparison(left, pick([.equal, .less]), attribute(scope, of: [kind]))
    default:
      let comparator = pick(
        [.equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
          as [Comparison.Operator]
      )
      return Comparison(left, comparator, constant(fitting: left, scope))
    }
  }

  /// Objects as values: identity, membership, absence.
  mutating func objects(_ scope: Scope, _ depth: Int) -> Comparison {
    let (left, entity) = object(scope)
    let comparator: Comparison.Operator = once(in: 3) ? .notEqual : .equal
    switch random.chance(6) {
    case 0: return Comparison(left, comparator, .null)
    case 1:
      let items = (0..<(1 + random.chance(4))).map { _ in objectConstant(of: entity, scope) }
      return Comparison(left, .isIn, .list(items))
    case 2:
      return Comparison(left.appending(["objectID"]), comparator, objectConstant(of: entity, scope))
    case 3: return Comparison(left, comparator, object(scope).node)
    case 4: return Comparison(objectConstant(of: entity, scope), comparator, left)
    default: return Comparison(left, comparator, objectConstant(of: entity, scope))
    }
  }

  private mutating func objectConstant(of entity: Int, _ scope: Scope) -> ExpressionNode {
    if once(in: 12) { return .null }
    // Now and then an object of quite another entity.
    let entity = once(in: 15) ? random.chance(model.entities.count) : entity
    return row(of: entity)?.identity.map { .constant(.objectID($0)) } ?? .null
  }

  /// What is in a collection: objects, values of objects, parts of text.
  mutating func membership(_ scope: Scope, _ depth: Int) -> Comparison {
    guard let (collection, entity, _) = objects(from: scope, depth) else {
      return objects(scope, depth)
    }
    var whole = collection
    var part = once(in: 3) ? object(scope).node : objectConstant(of: entity, scope)
    if once(in: 2), let attribute = attribute(of: entity) {
      whole =
        once(in: 4)
        ? .aggregate(
          collection,
          pick([.unionOfObjects, .distinctUnionOfObjects]),
          .path(attribute)
        )
        : collection.appending(attribute.steps)
      part =
        once(in: 3)
        ? self.attribute(scope, of: [attribute.kind]) : constant(fitting: whole, scope)
    }
    return once(in: 2) ? Comparison(part, .isIn, whole) : Comparison(whole, .contains, part)
  }

  /// Counts, sums and other statistics of a collection.
  mutating func counted(_ scope: Scope, _ depth: Int) -> Comparison {
    guard let (collection, entity, isOrdered) = objects(from: scope, depth) else {
      return objects(scope, depth)
    }
    let comparator = pick(
      [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual] as [Comparison.Operator]
    )
    if once(in: 2) {
      let left: ExpressionNode =
        once(in: 8)
        ? .index(collection, .size)
        : once(in: 8) ? .function(.count, [collection]) : .aggregate(collection, .count, .object)
      return Comparison(left, comparator, .constant(.integer(Int64(random.chance(4)))))
    }
    let left = statistic(of: collection, entity, isOrdered, scope)
    return Comparison(left, comparator, constant(fitting: left, scope))
  }

  private mutating func statistic(
    of collection: ExpressionNode,
    _ entity: Int,
    _ isOrdered: Bool,
    _ scope: Scope
  ) -> ExpressionNode {
    let numbers: Set<Kind> = [.integer, .integer, .double, .decimal]
    if isOrdered, once(in: 4), let attribute = attribute(of: entity) {
      let index = pick([.first, .last, .element(.constant(.integer(0)))] as [CollectionIndex])
      return ExpressionNode.index(collection, index).appending(attribute.steps)
    }
    switch random.chance(6) {
    case 0:
      guard let attribute = attribute(of: entity) else { break }
      let distinct = ExpressionNode.aggregate(
        collection,
        pick([.distinctUnionOfObjects, .unionOfObjects]),
        .path(attribute)
      )
      return .aggregate(distinct, .count, .object)
    case 1:
      guard let attribute = attribute(of: entity, numbers) else { break }
      let function = pick(
        [.sum, .min, .max, .average, .median, .mode, .stddev] as [PredicateFunction]
      )
      return .function(function, [collection.appending(attribute.steps)])
    case 2:
      guard let relationship = toMany(of: entity) else { break }
      let count = ExpressionNode.aggregate(.path(relationship.name), .count, .object)
      return .aggregate(collection, pick([.sum, .max, .min]), count)
    default:
      guard let attribute = attribute(of: entity, once(in: 4) ? [.date, .string] : numbers) else {
        break
      }
      let operation = pick(
        attribute.kind.isNumber
          ? [.sum, .min, .max, .average]
          : [.min, .max]
            as [CollectionOperator]
      )
      return .aggregate(collection, operation, .path(attribute))
    }
    return .aggregate(collection, .count, .object)
  }
}

extension ExpressionNode {
  /// The path to an attribute of SELF.
  fileprivate static func path(_ attribute: Attribute) -> ExpressionNode {
    object.appending(attribute.steps)
  }
}
