// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// An index that makes fetches and sorts by its properties fast.
///
/// Core Data: `NSFetchIndexDescription`.
public struct FetchIndexDescription: Sendable, Hashable, Codable {
  /// One property of an index and its direction.
  public struct Element: Sendable, Hashable, Codable {
    /// The name of an attribute or to-one relationship.
    public var property: String
    /// Whether the index ascends.
    public var isAscending: Bool

    /// An element of an index.
    public init(_ property: String, isAscending: Bool = true) {
      self.property = property
      self.isAscending = isAscending
    }
  }

  /// The index's name, unique within its entity.
  public var name: String
  /// Its properties, the most significant first.
  public var elements: [Element]
  /// A condition in the format language: only objects that meet it are in the index.
  ///
  /// It compares the entity's own attributes with constants. Opening a store fails with
  /// `invalidModel` (134,020) when it does not parse.
  ///
  /// Core Data: `NSFetchIndexDescription.partialIndexPredicate`.
  public var partialIndexPredicate: String?

  /// An index of a name.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - elements: Its properties, the most significant first.
  ///   - partialIndexPredicate: Which objects are in it; `nil` for all.
  public init(_ name: String, elements: [Element], partialIndexPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialIndexPredicate = partialIndexPredicate
  }

  /// An index over properties, ascending, named after them.
  public init(_ properties: [String]) {
    self.init(properties.joined(separator: "_"), elements: properties.map { Element($0) })
  }
}
