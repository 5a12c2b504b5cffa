// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// The types of the `$VARIABLES` of a condition, as far as what they are compared with tells them.
struct VariableTypes {
  /// The type of a value.
  indirect enum Kind: Equatable {
    /// A value of an attribute.
    case value(AttributeType, isOptional: Bool)
    /// An object of an entity.
    case object(String)
    /// Several values.
    case list(Kind)
  }

  private let entities: [String: EntityDescription]
  /// The variables in the order in which they occur.
  private(set) var names: [String] = []
  private var kinds: [String: Kind] = [:]
  /// The variables that are compared with values of different types.
  private var ambiguous: Set<String> = []

  /// Finds the variables of a condition on objects of an entity.
  init(
    of condition: PredicateNode,
    on entity: String,
    in entities: [String: EntityDescription]
  ) {
    self.entities = entities
    visit(condition, Scope(object: .object(entity)))
  }

  /// The type of a variable; `nil` when it is not known.
  subscript(name: String) -> Kind? { ambiguous.contains(name) ? nil : kinds[name] }

  private struct Scope {
    var object: Kind?
    /// What the variables of subqueries stand for.
    var bound: [String: Kind?] = [:]
  }

  // MARK: Conditions

  private mutating func visit(_ node: PredicateNode, _ scope: Scope) {
    switch node {
    case .constant: break
    case .and(let nodes), .or(let nodes): for node in nodes { visit(node, scope) }
    case .not(let node): visit(node, scope)
    case .comparison(let comparison): visit(comparison, scope)
    }
  }

  private mutating func visit(_ comparison: Comparison, _ scope: Scope) {
    let left = kind(of: comparison.left, scope)
    let right = kind(of: comparison.right, scope)
    switch comparison.comparator {
    case .like, .matches, .beginsWith, .endsWith:
      let text = Kind.value(.string, isOptional: false)
      assign(text, to: comparison.left, scope)
      assign(text, to: comparison.right, scope)
    case .isIn:
      assign(right.map(Self.element), to: comparison.left, scope)
      assign(left.map { .list(Self.required($0)) }, to: comparison.right, scope)
    case .between:
      assign(right.map(Self.element), to: comparison.left, scope)
      if case .list(let bounds) = comparison.right {
        for bound in bounds { assign(left, to: bound, scope) }
      } else {
        assign(left.map { .list(Self.required($0)) }, to: comparison.right, scope)
      }
    case .contains:
      assign(left, to: comparison.right, scope)
      assign(right.map { .list(Self.required($0)) }, to: comparison.left, scope)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      assign(right, to: comparison.left, scope)
      assign(left, to: comparison.right, scope)
    }
  }

  private static func element(_ kind: Kind) -> Kind {
    if case .list(let element) = kind { element } else { kind }
  }

  private static func required(_ kind: Kind) -> Kind {
    if case .value(let type, _) = kind { .value(type, isOptional: false) } else { kind }
  }

  // MARK: Variables

  /// Notes that the variables of an expression are of the type of what it is compared with.
  private mutating func assign(_ kind: Kind?, to expression: ExpressionNode, _ scope: Scope) {
    switch expression {
    case .constant, .object: break
    case .variable(let name):
      guard !scope.bound.keys.contains(name) else { return }
      if !names.contains(name) { names.append(name) }
      guard let kind else { return }
      if let known = kinds[name], Self.required(known) != Self.required(kind) {
        ambiguous.insert(name)
      } else if kinds[name] == nil || Self.required(kind) == kind {
        kinds[name] = kind
      }
    case .list(let nodes):
      for node in nodes { assign(kind.map(Self.element), to: node, scope) }
    case .function(let function, let nodes):
      let isSum = [.add, .subtract, .multiply, .divide, .negate].contains(function)
      let isText = function == .uppercase || function == .lowercase || function == .noindex
      // What stands beside a variable in a sum says more than what the sum is compared with.
      let own = isSum ? self.kind(of: expression, scope) ?? kind : kind
      for node in nodes { assign(isSum || isText ? own : nil, to: node, scope) }
    case .keyPath(let root, _): assign(nil, to: root, scope)
    case .cast(let value, _): assign(nil, to: value, scope)
    case .aggregate(let collection, _, let key):
      assign(nil, to: collection, scope)
      var inner = scope
      inner.object = self.kind(of: collection, scope)
      assign(nil, to: key, inner)
    case .index(let collection, let index):
      assign(nil, to: collection, scope)
      if case .element(let position) = index {
        assign(.value(.int64, isOptional: false), to: position, scope)
      }
    case .subquery(let collection, let name, let condition):
      assign(nil, to: collection, scope)
      var inner = scope
      inner.bound[name] = .some(self.kind(of: collection, scope))
      visit(condition, inner)
    case .ternary(let condition, let first, let second):
      visit(condition, scope)
      assign(kind, to: first, scope)
      assign(kind, to: second, scope)
    }
  }

  // MARK: Types

  private func kind(of expression: ExpressionNode, _ scope: Scope) -> Kind? {
    func required(_ type: AttributeType) -> Kind { .value(type, isOptional: false) }
    switch expression {
    case .constant(let value): return Self.kind(of: value)
    case .list(let nodes):
      return nodes.lazy.compactMap { kind(of: $0, scope) }.first.map { .list(Self.required($0)) }
    case .object: return scope.object
    case .variable(let name): return scope.bound[name] ?? nil
    case .keyPath(let root, let keys): return follow(keys[...], from: kind(of: root, scope))
    case .aggregate(_, .count, _): return required(.int64)
    case .aggregate(_, .average, _): return required(.double)
    case .aggregate(let collection, _, let key):
      var inner = scope
      inner.object = kind(of: collection, scope)
      return kind(of: key, inner)
    case .index(_, .size): return required(.int64)
    case .index(let collection, _), .subquery(let collection, _, _):
      return kind(of: collection, scope)
    case .function(let function, let nodes):
      switch function {
      case .count, .length: return required(.int64)
      case .uppercase, .lowercase: return required(.string)
      case .now: return required(.date)
      case .average, .stddev, .sqrt, .log, .ln, .exp: return required(.double)
      default: return nodes.lazy.compactMap { kind(of: $0, scope) }.first
      }
    case .ternary(_, let first, let second):
      return kind(of: first, scope) ?? kind(of: second, scope)
    case .cast(_, let type):
      switch type {
      case .date: return required(.date)
      case .number: return required(.double)
      case .string: return required(.string)
      case .decimal: return required(.decimal)
      case .uuid: return required(.uuid)
      case .url: return required(.url)
      case .data: return required(.binaryData)
      case .objectID: return nil
      }
    }
  }

  private static func kind(of value: PropertyValue) -> Kind? {
    switch value {
    case .null, .objectID: nil
    case .boolean: .value(.bool, isOptional: false)
    case .integer: .value(.int64, isOptional: false)
    case .double: .value(.double, isOptional: false)
    case .decimal: .value(.decimal, isOptional: false)
    case .string: .value(.string, isOptional: false)
    case .date: .value(.date, isOptional: false)
    case .data: .value(.binaryData, isOptional: false)
    case .uuid: .value(.uuid, isOptional: false)
    case .url: .value(.url, isOptional: false)
    }
  }

  private func follow(_ keys: ArraySlice<String>, from start: Kind?) -> Kind? {
    guard let key = keys.first else { return start }
    if key == "self" { return follow(keys.dropFirst(), from: start) }
    guard case .object(let name) = start else { return nil }
    var entity = entities[name]
    while let current = entity {
      switch current.properties.first(where: { $0.name == key }) {
      case .relationship(let relationship):
        return follow(keys.dropFirst(), from: .object(relationship.destinationEntity))
      case .attribute(let attribute): return follow(keys.dropFirst(), within: attribute)
      case nil: entity = current.parent.flatMap { entities[$0] }
      }
    }
    return nil
  }

  private func follow(_ keys: ArraySlice<String>, within attribute: AttributeDescription) -> Kind? {
    guard let key = keys.first else {
      let isKnown = ![.undefined, .objectID, .composite].contains(attribute.type)
      return isKnown ? .value(attribute.type, isOptional: attribute.isOptional) : nil
    }
    let element = attribute.elements.first { $0.name == key }
    return element.flatMap { follow(keys.dropFirst(), within: $0) }
  }
}
