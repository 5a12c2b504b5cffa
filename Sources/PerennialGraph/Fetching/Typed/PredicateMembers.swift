// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
public import PerennialPredicate

/// The objects of a to-many relationship in a typed condition: `$0.commits`.
public struct PredicateMembers<Element: ManagedObject>: Sendable {
  let _term: PredicateTerm

  init(_ term: PredicateTerm) { _term = term }

  // MARK: Conditions on elements

  /// Whether at least one object meets a condition; false if there are no objects.
  ///
  /// - Parameter condition: The condition on an object; it can also name objects of the conditions around it.
  /// - Returns: The predicate.
  public func any(
    _ condition: (PredicateObject<Element>) -> some PredicateCondition
  ) -> FetchPredicate {
    quantified(.any, condition)
  }

  /// Whether every object meets a condition; true if there are no objects.
  ///
  /// - Parameter condition: The condition on an object; it can also name objects of the conditions around it.
  /// - Returns: The predicate.
  public func all(
    _ condition: (PredicateObject<Element>) -> some PredicateCondition
  ) -> FetchPredicate {
    quantified(.all, condition)
  }

  /// Whether no object meets a condition.
  ///
  /// - Parameter condition: The condition on an object; it can also name objects of the conditions around it.
  /// - Returns: The predicate.
  public func none(
    _ condition: (PredicateObject<Element>) -> some PredicateCondition
  ) -> FetchPredicate {
    quantified(.none, condition)
  }

  /// The objects that meet a condition: `$0.commits.filter { $0.isMerge }.count > 3`.
  ///
  /// - Parameter condition: The condition on an object; it can also name objects of the conditions around it.
  /// - Returns: The objects, for a count, an aggregate or another condition.
  public func filter(
    _ condition: (PredicateObject<Element>) -> some PredicateCondition
  ) -> PredicateMembers {
    let (variable, predicate) = ElementVariable.bind(condition)
    guard let node = try? predicate.checked() else {
      return PredicateMembers(PredicateTerm(_term.expression, failure: _term.failure ?? predicate))
    }
    return PredicateMembers(
      PredicateTerm(.subquery(_term.expression, variable, node), failure: _term.failure)
    )
  }

  private func quantified(
    _ modifier: Comparison.Modifier,
    _ condition: (PredicateObject<Element>) -> some PredicateCondition
  ) -> FetchPredicate {
    let (variable, predicate) = ElementVariable.bind(condition)
    return _term.failure
      ?? predicate.map {
        ElementCondition(collection: _term.expression, variable: variable, condition: $0)
          .node(modifier)
      }
  }

  // MARK: Membership

  /// Whether an object is one of them.
  ///
  /// - Parameter object: The object; only its ID counts.
  /// - Returns: The predicate.
  public func contains(_ object: Element) -> FetchPredicate { contains(object.objectID) }

  /// Whether the object with the given ID is one of them.
  ///
  /// - Parameter id: The object's ID.
  /// - Returns: The predicate.
  public func contains(_ id: ManagedObjectID) -> FetchPredicate {
    _term.compared(.contains, PredicateTerm(.constant(.objectID(id))))
  }

  /// Whether another object of the condition is one of them.
  ///
  /// - Parameter object: The other object; where it is absent, the condition is false.
  /// - Returns: The predicate.
  public func contains(_ object: PredicateObject<Element>) -> FetchPredicate {
    _term.compared(.contains, object._term)
  }

  // MARK: Numbers

  /// The number of objects.
  public var count: PredicateValue<Int> { aggregate(.count, .object) }

  /// Whether there are no objects.
  public var isEmpty: FetchPredicate { count == 0 }

  /// The sum of the objects' values; 0 if there are none.
  ///
  /// - Parameter value: The key path of a value of each object: `\.pages`.
  /// - Returns: The sum of the values that are present. It is absent where the object that has the relationship is
  ///   absent, unless the relationship is filtered. A sum of whole numbers must fit into 64 bits.
  public func sum<Value: AttributeValue & Numeric>(
    _ value: KeyPath<PredicateObject<Element>, PredicateValue<Value>>
  ) -> PredicateValue<Value> {
    aggregate(.sum, Self.expression(value))
  }

  /// The least of the objects' values; absent if there are none.
  ///
  /// - Parameter value: The key path of a value of each object: `\.date`.
  /// - Returns: The least of the values that are present; absent when none is. Text is compared by its bytes.
  public func min<Value: AttributeValue & Comparable>(
    _ value: KeyPath<PredicateObject<Element>, PredicateValue<Value>>
  ) -> PredicateValue<Value> {
    aggregate(.min, Self.expression(value))
  }

  /// The greatest of the objects' values; absent if there are none.
  ///
  /// - Parameter value: The key path of a value of each object: `\.date`.
  /// - Returns: The greatest of the values that are present; absent when none is. Text is compared by its bytes.
  public func max<Value: AttributeValue & Comparable>(
    _ value: KeyPath<PredicateObject<Element>, PredicateValue<Value>>
  ) -> PredicateValue<Value> {
    aggregate(.max, Self.expression(value))
  }

  /// The mean of the objects' values; absent if there are none.
  ///
  /// - Parameter value: The key path of a value of each object: `\.pages`.
  /// - Returns: The mean of the values that are present, with its fraction; absent when none is.
  public func average<Value: AttributeValue & Numeric>(
    _ value: KeyPath<PredicateObject<Element>, PredicateValue<Value>>
  ) -> PredicateValue<Double> {
    aggregate(.average, Self.expression(value))
  }

  private static func expression<Value>(
    _ value: KeyPath<PredicateObject<Element>, PredicateValue<Value>>
  ) -> ExpressionNode {
    PredicateObject<Element>(.object)[keyPath: value]._term.expression
  }

  private func aggregate<Value>(
    _ operation: CollectionOperator,
    _ value: ExpressionNode
  ) -> PredicateValue<Value> {
    PredicateValue(
      PredicateTerm(.aggregate(_term.expression, operation, value), failure: _term.failure)
    )
  }
}
