// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a fetch of dictionaries fetches of each object: a property, or a computed value.
///
/// ```swift
/// request.propertiesToFetch = ["author", .expression(ExpressionDescription("n", format: "count(sha)"))]
/// ```
///
/// Core Data: the elements of `NSFetchRequest.propertiesToFetch`.
public enum PropertyToFetch: Sendable, Hashable, ExpressibleByStringLiteral {
  /// An attribute or a to-one relationship, or a key path to one through to-one relationships.
  case property(String)
  /// A computed value.
  case expression(ExpressionDescription)

  /// A property by its name.
  ///
  /// - Parameter name: An attribute or a to-one relationship, or a key path to one through to-one relationships.
  public init(stringLiteral name: String) { self = .property(name) }

  /// The name of the value in the dictionaries.
  public var name: String {
    switch self {
    case .property(let name): name
    case .expression(let description): description.name
    }
  }
}
