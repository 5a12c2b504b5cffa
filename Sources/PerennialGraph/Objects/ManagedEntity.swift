// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialPredicate

/// A managed class that has an entity of its own; `@Managed` adds the conformance.
///
/// In a target whose default isolation is the main actor, write `nonisolated` before `class`, or
/// name this protocol in the class's inheritance clause.
public protocol ManagedEntity: ManagedObject, SendableMetatype {
  /// A Sendable copy of an object's attributes, with the IDs of its to-one relationships; `@Managed` writes it.
  associatedtype Snapshot: Codable & Sendable = Never
}

extension ManagedEntity {
  /// A request for all objects of the class.
  ///
  /// Core Data: `NSManagedObject.fetchRequest()`.
  ///
  /// - Returns: A request without condition, sort or limit. Its results include objects of subclasses.
  public static func fetchRequest() -> FetchRequest<Self> { FetchRequest() }

  /// A request for all objects of the class.
  public static var all: FetchRequest<Self> { FetchRequest() }

  /// A request for the objects that meet a condition.
  ///
  /// ```swift
  /// let fixes = try context.fetch(Commit.filter("message CONTAINS[c] \(word)"))
  /// ```
  ///
  /// - Parameter predicate: The condition; interpolated values are bound.
  /// - Returns: The request. If the predicate is wrong, the fetch throws.
  public static func filter(_ predicate: consuming FetchPredicate) -> FetchRequest<Self> {
    FetchRequest(entityName: entityName, predicate: predicate)
  }

  /// A request for the objects that meet a condition, written in the format language.
  ///
  /// - Parameters:
  ///   - format: The condition's text, fixed at compile time.
  ///   - arguments: The values of its placeholders, in order.
  /// - Returns: The request. If the format is wrong, the fetch throws.
  public static func filter(
    format: StaticString,
    _ arguments: (any Sendable)?...
  ) -> FetchRequest<Self> {
    all.filter(FetchPredicate(format: format, arguments: arguments))
  }
}
