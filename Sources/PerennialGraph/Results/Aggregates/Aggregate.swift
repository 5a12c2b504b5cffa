// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// A value that is computed from many objects: their number, or a sum, mean or extreme of an attribute.
///
/// ```swift
/// let live = try context.aggregates(of: Commit.all, [.count, .max(\.date), .average("size")])
/// ```
///
/// An attribute of a related object is named by a key path as text: `.max("author.joined")`.
///
/// Core Data: `NSExpressionDescription`.
public struct Aggregate<Object: ManagedObject>: Sendable, Hashable {
  let function: AggregateFunction
  /// What it is computed of; `nil` when it is the objects' number.
  let keyPath: String?

  /// The number of objects.
  public static var count: Self { Self(function: .count, keyPath: nil) }

  /// The sum of an attribute, which must be a number; 0 when there are no values.
  ///
  /// Whole numbers and decimals are added exactly. Floating-point numbers are too, and their sum is rounded
  /// once, so that it does not depend on their order. A sum of whole numbers that exceeds `Int64` is a
  /// `Double`.
  ///
  /// - Parameter keyPath: The attribute, or a key path to one through to-one relationships.
  /// - Returns: The aggregate.
  public static func sum(_ keyPath: String) -> Self { Self(function: .sum, keyPath: keyPath) }

  /// The sum of an attribute; see ``sum(_:)-(String)``.
  ///
  /// - Parameter keyPath: An attribute of the objects themselves.
  /// - Returns: The aggregate.
  public static func sum<Value>(_ keyPath: KeyPath<Object, Value>) -> Self {
    sum(Object.name(of: keyPath))
  }

  /// The mean of an attribute, which must be a number; `nil` when there are no values.
  ///
  /// It is a `Double`, or a `Decimal` for decimals. Absent values do not count.
  ///
  /// - Parameter keyPath: The attribute, or a key path to one through to-one relationships.
  /// - Returns: The aggregate.
  public static func average(_ keyPath: String) -> Self {
    Self(function: .average, keyPath: keyPath)
  }

  /// The mean of an attribute; see ``average(_:)-(String)``.
  ///
  /// - Parameter keyPath: An attribute of the objects themselves.
  /// - Returns: The aggregate.
  public static func average<Value>(_ keyPath: KeyPath<Object, Value>) -> Self {
    average(Object.name(of: keyPath))
  }

  /// The least value of an attribute, in the order of a sort by it; `nil` when there are no values.
  ///
  /// - Parameter keyPath: The attribute, or a key path to one through to-one relationships.
  /// - Returns: The aggregate.
  public static func min(_ keyPath: String) -> Self { Self(function: .min, keyPath: keyPath) }

  /// The least value of an attribute; see ``min(_:)-(String)``.
  ///
  /// - Parameter keyPath: An attribute of the objects themselves.
  /// - Returns: The aggregate.
  public static func min<Value>(_ keyPath: KeyPath<Object, Value>) -> Self {
    min(Object.name(of: keyPath))
  }

  /// The greatest value of an attribute, in the order of a sort by it; `nil` when there are no values.
  ///
  /// - Parameter keyPath: The attribute, or a key path to one through to-one relationships.
  /// - Returns: The aggregate.
  public static func max(_ keyPath: String) -> Self { Self(function: .max, keyPath: keyPath) }

  /// The greatest value of an attribute; see ``max(_:)-(String)``.
  ///
  /// - Parameter keyPath: An attribute of the objects themselves.
  /// - Returns: The aggregate.
  public static func max<Value>(_ keyPath: KeyPath<Object, Value>) -> Self {
    max(Object.name(of: keyPath))
  }
}

extension Aggregate: CustomStringConvertible {
  /// The aggregate as a format writes it: `max(date)`.
  public var description: String { "\(function)(\(keyPath ?? ""))" }
}

/// How an aggregate is computed.
enum AggregateFunction: Sendable, Hashable {
  case count
  case sum
  case average
  case min
  case max

  /// Whether only numbers have one.
  var isOfNumbers: Bool { self == .sum || self == .average }
}
