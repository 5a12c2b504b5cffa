// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
public import PerennialPredicate

extension FetchSort {
  /// A sort by an element of a composite attribute.
  ///
  /// - Parameters:
  ///   - attribute: The composite attribute.
  ///   - element: One of its elements.
  ///   - order: Forward or reverse.
  ///   - comparison: How text is compared.
  public init<Object: ManagedObject, Composite: CompositeAttribute, Value>(
    _ attribute: KeyPath<Object, Composite>,
    _ element: KeyPath<Composite, Value>,
    _ order: SortOrder = .forward,
    comparison: Comparison = .binary
  ) {
    self.init(
      Object.name(of: attribute) + "." + Composite.name(of: element),
      ascending: order == .forward,
      comparison: comparison
    )
  }

  /// A sort by an element of an optional composite attribute.
  ///
  /// - Parameters:
  ///   - attribute: The composite attribute.
  ///   - element: One of its elements.
  ///   - order: Forward or reverse.
  ///   - comparison: How text is compared.
  public init<Object: ManagedObject, Composite: CompositeAttribute, Value>(
    _ attribute: KeyPath<Object, Composite?>,
    _ element: KeyPath<Composite, Value>,
    _ order: SortOrder = .forward,
    comparison: Comparison = .binary
  ) {
    self.init(
      Object.name(of: attribute) + "." + Composite.name(of: element),
      ascending: order == .forward,
      comparison: comparison
    )
  }
}

extension ManagedEntity {
  /// A request for all objects in the order of an element of a composite attribute.
  ///
  /// - Parameters:
  ///   - attribute: The composite attribute.
  ///   - element: One of its elements.
  ///   - order: Forward or reverse. Forward puts absent values first, and false before true.
  /// - Returns: The request. A key path that names nothing stored is an error of the fetch: `unknownName` (200003).
  public static func sorted<Composite: CompositeAttribute, Value: AttributeValue>(
    by attribute: KeyPath<Self, Composite>,
    _ element: KeyPath<Composite, Value>,
    _ order: SortOrder = .forward
  ) -> FetchRequest<Self> {
    all.sorted(by: FetchSort(attribute, element, order))
  }

  /// A request for all objects in the order of an element of an optional composite attribute.
  ///
  /// - Parameters:
  ///   - attribute: The composite attribute; where it has no value, its elements are absent.
  ///   - element: One of its elements.
  ///   - order: Forward or reverse. Forward puts absent values first, and false before true.
  /// - Returns: The request. A key path that names nothing stored is an error of the fetch: `unknownName` (200003).
  public static func sorted<Composite: CompositeAttribute, Value: AttributeValue>(
    by attribute: KeyPath<Self, Composite?>,
    _ element: KeyPath<Composite, Value>,
    _ order: SortOrder = .forward
  ) -> FetchRequest<Self> {
    all.sorted(by: FetchSort(attribute, element, order))
  }
}

extension FetchRequest where Result: ManagedEntity {
  /// The request with one more sort, by an element of a composite attribute.
  ///
  /// - Parameters:
  ///   - attribute: The composite attribute.
  ///   - element: One of its elements.
  ///   - order: Forward or reverse. Forward puts absent values first, and false before true.
  /// - Returns: The request. A key path that names nothing stored is an error of the fetch: `unknownName` (200003).
  public func sorted<Composite: CompositeAttribute, Value: AttributeValue>(
    by attribute: KeyPath<Result, Composite>,
    _ element: KeyPath<Composite, Value>,
    _ order: SortOrder = .forward
  ) -> Self {
    sorted(by: FetchSort(attribute, element, order))
  }

  /// The request with one more sort, by an element of an optional composite attribute.
  ///
  /// - Parameters:
  ///   - attribute: The composite attribute; where it has no value, its elements are absent.
  ///   - element: One of its elements.
  ///   - order: Forward or reverse. Forward puts absent values first, and false before true.
  /// - Returns: The request. A key path that names nothing stored is an error of the fetch: `unknownName` (200003).
  public func sorted<Composite: CompositeAttribute, Value: AttributeValue>(
    by attribute: KeyPath<Result, Composite?>,
    _ element: KeyPath<Composite, Value>,
    _ order: SortOrder = .forward
  ) -> Self {
    sorted(by: FetchSort(attribute, element, order))
  }
}
