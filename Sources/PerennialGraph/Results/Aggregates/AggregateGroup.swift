// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// The aggregates of the objects that have a value in common.
///
/// It is a value, and may go to any isolation.
public struct AggregateGroup<Object: ManagedObject>: Sendable {
  /// The aggregates that were asked for.
  public let aggregates: [Aggregate<Object>]
  /// The number of objects, whether it was asked for or not.
  public let count: Int
  let commonValue: PropertyValue
  let computed: [PropertyValue]

  /// The value that the objects have in common, in the type that ``ManagedObject/value(forKey:)`` gives; `nil` when
  /// they have none, and when there is no grouping.
  public var key: (any Sendable)? { commonValue.sendable }

  /// The value that the objects have in common.
  ///
  /// - Parameter type: The type of the result: the attribute's type, or for an enum the type of its raw value.
  /// - Returns: The value; `nil` when there is none, or when it is of another type.
  public func key<Value>(as type: Value.Type = Value.self) -> Value? { commonValue.cast(to: type) }

  /// The values of the aggregates, in the order they were asked for.
  public var values: [(any Sendable)?] { computed.map(\.sendable) }

  /// The value of an aggregate.
  ///
  /// ```swift
  /// let newest = group.value(of: .max(\.date), as: Date.self)
  /// ```
  ///
  /// - Parameters:
  ///   - aggregate: An aggregate that was asked for.
  ///   - type: The type of the result.
  /// - Returns: The value; `nil` when there is none, when it is of another type, or when it was not
  ///   asked for.
  public func value<Value>(
    of aggregate: Aggregate<Object>,
    as type: Value.Type = Value.self
  ) -> Value? {
    aggregates.firstIndex(of: aggregate).flatMap { computed[$0].cast(to: type) }
  }
}

extension AggregateGroup: Equatable {
  /// Whether two groups have the same value in common, and the same aggregates.
  ///
  /// - Parameters:
  ///   - left: A group.
  ///   - right: Another one.
  /// - Returns: `true` when value, count and aggregates are equal; NaN is equal to NaN.
  public static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.commonValue.isSame(as: right.commonValue)
      && left.aggregates == right.aggregates
      && left.computed.elementsEqual(right.computed) { $0.isSame(as: $1) }
  }
}

extension PropertyValue {
  /// Whether two values are equal, or both no numbers.
  func isSame(as other: PropertyValue) -> Bool { self == other || isNaN && other.isNaN }

  /// Whether it is a floating-point value that is no number.
  var isNaN: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    default: false
    }
  }

  /// The value as a Swift type, which may be a number of another width.
  func cast<Value>(to type: Value.Type) -> Value? {
    guard let sendable else { return nil }
    if let value = sendable as? Value { return value }
    switch self {
    case .integer(let number):
      if let type = Value.self as? any BinaryInteger.Type {
        return type.init(exactly: number) as? Value
      }
      if let type = Value.self as? any BinaryFloatingPoint.Type {
        return type.init(number) as? Value
      }
      return nil
    case .double(let number):
      guard let type = Value.self as? any BinaryFloatingPoint.Type else { return nil }
      return type.init(number) as? Value
    default: return nil
    }
  }
}
