// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
import PerennialPredicate

extension ManagedEntity {
  /// A request for all objects in the order of an attribute of any type.
  ///
  /// - Parameters:
  ///   - keyPath: An attribute; a computed property is an error of the fetch.
  ///   - order: Forward or reverse. Forward puts absent values first, and false before true.
  /// - Returns: The request.
  public static func sorted<Value: AttributeValue>(
    by keyPath: KeyPath<Self, Value>,
    _ order: SortOrder = .forward
  ) -> FetchRequest<Self> {
    all.sorted(by: keyPath, order)
  }

  /// A request for all objects in the order of an attribute's raw values.
  ///
  /// - Parameters:
  ///   - keyPath: An attribute of a type with raw values, by which objects are sorted.
  ///   - order: Forward or reverse.
  /// - Returns: The request. A key path that is not an attribute is an error of the fetch: `unknownName` (200003).
  public static func sorted<Value: RawRepresentable>(
    by keyPath: KeyPath<Self, Value>,
    _ order: SortOrder = .forward
  ) -> FetchRequest<Self> where Value.RawValue: AttributeValue {
    all.sorted(by: keyPath, order)
  }

  /// A request for all objects in the order of an optional attribute's raw values.
  ///
  /// - Parameters:
  ///   - keyPath: An attribute of a type with raw values, by which objects are sorted.
  ///   - order: Forward or reverse. Forward puts absent values first.
  /// - Returns: The request. A key path that is not an attribute is an error of the fetch: `unknownName` (200003).
  public static func sorted<Value: RawRepresentable>(
    by keyPath: KeyPath<Self, Value?>,
    _ order: SortOrder = .forward
  ) -> FetchRequest<Self> where Value.RawValue: AttributeValue {
    all.sorted(by: keyPath, order)
  }
}

extension FetchRequest where Result: ManagedEntity {
  /// The request with one more sort, less significant than those that it has.
  ///
  /// - Parameters:
  ///   - keyPath: An attribute; text is compared by its bytes.
  ///   - order: Forward or reverse. Forward puts absent values first, and false before true.
  /// - Returns: The request. A key path that is not an attribute is an error of the fetch: `unknownName` (200003).
  public func sorted<Value: AttributeValue>(
    by keyPath: KeyPath<Result, Value>,
    _ order: SortOrder = .forward
  ) -> Self {
    sorted(by: FetchSort(keyPath, order))
  }

  /// The request with one more sort, by an attribute's raw values.
  ///
  /// - Parameters:
  ///   - keyPath: An attribute of a type with raw values, by which objects are sorted.
  ///   - order: Forward or reverse.
  /// - Returns: The request. A key path that is not an attribute is an error of the fetch: `unknownName` (200003).
  public func sorted<Value: RawRepresentable>(
    by keyPath: KeyPath<Result, Value>,
    _ order: SortOrder = .forward
  ) -> Self where Value.RawValue: AttributeValue {
    sorted(by: FetchSort(keyPath, order))
  }

  /// The request with one more sort, by an optional attribute's raw values.
  ///
  /// - Parameters:
  ///   - keyPath: An attribute of a type with raw values, by which objects are sorted.
  ///   - order: Forward or reverse. Forward puts absent values first.
  /// - Returns: The request. A key path that is not an attribute is an error of the fetch: `unknownName` (200003).
  public func sorted<Value: RawRepresentable>(
    by keyPath: KeyPath<Result, Value?>,
    _ order: SortOrder = .forward
  ) -> Self where Value.RawValue: AttributeValue {
    sorted(by: FetchSort(keyPath, order))
  }

  /// The request with one more sort, by an attribute of a related object.
  ///
  /// - Parameters:
  ///   - relationship: A to-one relationship; where it leads to no object, the value is absent.
  ///   - keyPath: An attribute of the object that it leads to.
  ///   - order: Forward or reverse. Forward puts absent values first, and false before true.
  /// - Returns: The request. A key path that is not an attribute is an error of the fetch: `unknownName` (200003).
  public func sorted<Value: AttributeValue, Destination: ManagedObject>(
    by relationship: KeyPath<Result, Destination?>,
    _ keyPath: KeyPath<Destination, Value>,
    _ order: SortOrder = .forward
  ) -> Self {
    sorted(by: FetchSort(relationship, keyPath, order))
  }
}
