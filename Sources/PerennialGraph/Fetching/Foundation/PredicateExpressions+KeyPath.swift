// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let property = TranslatedProperty(keyPath: keyPath, rootType: Root.Output.self)
    let value = try translator.value(root)
    if let member = kind?.member { return try property.member(member, of: value) }
    return try property.translated(of: value)
  }
}

extension PredicateExpressions.KeyPath.CommonKeyPathKind {
  fileprivate var member: TranslatedProperty.Member? {
    switch self {
    case .collectionCount: .count
    case .collectionIsEmpty: .isEmpty
    case .collectionFirst: .first
    case .bidirectionalCollectionLast: .last
    @unknown default: nil
    }
  }
}

/// A property that a `#Predicate` reads of a value.
struct TranslatedProperty {
  /// What collections are asked for.
  enum Member { case count, isEmpty, first, last }

  let keyPath: AnyKeyPath
  /// The type of the value that the property belongs to.
  let rootType: Any.Type

  /// The property of a value.
  func translated(of value: ExpressionNode) throws(UntranslatablePredicate) -> TranslatedTerm {
    if let type = rootType as? ManagedObject.Type {
      return .value(value.appending([try name(in: type)]))
    }
    if let type = rootType as? any CompositeAttribute.Type,
      let name = type._elementName(for: keyPath)
    {
      return .value(value.appending([name]))
    }
    if let type = rootType as? any ToManyView.Type, let member = type.member(keyPath) {
      return try self.member(member, of: value)
    }
    switch keyPath {
    case \URL.absoluteString: return .value(value.appending(["absoluteString"]))
    case \String.first: return try text(.first, value)
    case \String.last: return try text(.last, value)
    default:
      throw UntranslatablePredicate(
        "a property of '\(rootType)' that is not one of a managed class",
        recovery: "compare the attribute itself, or filter the objects after the fetch."
      )
    }
  }

  private func name(in type: ManagedObject.Type) throws(UntranslatablePredicate) -> String {
    if let name = type.propertyName(for: keyPath) { return name }
    if let type = type as? any ManagedEntity.Type, Self.isIdentity(keyPath, of: type) {
      return "objectID"
    }
    throw UntranslatablePredicate(
      "a property of '\(type.entityName)' that is neither an attribute nor a relationship",
      recovery: "name the attributes that the property is computed from, "
        + "or filter the objects after the fetch."
    )
  }

  private static func isIdentity<Object: ManagedEntity>(
    _ keyPath: AnyKeyPath,
    of type: Object.Type
  ) -> Bool {
    keyPath == \Object.objectID || keyPath == \Object.id
  }

  // MARK: Collections

  /// What a text or a collection is asked for.
  func member(
    _ member: Member,
    of value: ExpressionNode
  ) throws(UntranslatablePredicate) -> TranslatedTerm {
    if rootType == String.self { return try text(member, value) }
    if rootType == Data.self, member == .count { return .value(.function(.length, [value])) }
    try CollectionKind.check(rootType, value)
    switch member {
    case .count: return .value(.aggregate(value, .count, .object))
    case .isEmpty:
      let count = ExpressionNode.aggregate(value, .count, .object)
      return .condition(.comparison(Comparison(count, .equal, .constant(.integer(0)))))
    case .first: return .value(.index(value, .first))
    case .last: return .value(.index(value, .last))
    }
  }

  private func text(
    _ member: Member,
    _ value: ExpressionNode
  ) throws(UntranslatablePredicate) -> TranslatedTerm {
    switch member {
    case .count: return .value(.function(.length, [value]))
    case .isEmpty:
      return .condition(.comparison(Comparison(value, .equal, .constant(.string("")))))
    case .first, .last:
      throw UntranslatablePredicate(
        "a character of a text",
        recovery: "compare a beginning with starts(with:)."
      )
    }
  }
}
