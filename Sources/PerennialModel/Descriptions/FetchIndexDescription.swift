// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The kind of question that an element of an index answers.
///
/// Core Data: `NSFetchIndexElementType`, which has no full text.
public enum FetchIndexElementType: String, Sendable, Hashable, Codable, CaseIterable {
  /// Equality, ranges and sorts.
  case binary
  /// Which texts contain a part of three characters or more: `CONTAINS`, `BEGINSWITH`, `ENDSWITH`, `LIKE` and
  /// `==[c]`, with or without `[c]` and `[d]`.
  case fullText
}

/// An index that makes fetches and sorts by its properties fast.
///
/// ```swift
/// let byDate = FetchIndexDescription(["date"])
/// let byWords = FetchIndexDescription(fullText: "message")
/// ```
///
/// Core Data: `NSFetchIndexDescription`.
public struct FetchIndexDescription: Sendable, Hashable, Codable {
  /// One property of an index and its direction.
  public struct Element: Sendable, Hashable, Codable {
    /// The name of an attribute or to-one relationship.
    public var property: String
    /// Whether the index ascends.
    public var isAscending: Bool
    /// The kind of question that the element answers.
    public var type: FetchIndexElementType

    /// An element of an index.
    ///
    /// - Parameters:
    ///   - property: The name of an attribute or to-one relationship.
    ///   - isAscending: Whether the index ascends.
    ///   - type: The kind of question that the element answers; full text is for string attributes.
    public init(
      _ property: String,
      isAscending: Bool = true,
      type: FetchIndexElementType = .binary
    ) {
      self.property = property
      self.isAscending = isAscending
      self.type = type
    }
  }

  /// The index's name, unique within its entity.
  public var name: String
  /// Its properties, the most significant first.
  public var elements: [Element]
  /// A condition in the format language: only objects that meet it are in the index.
  ///
  /// It compares the entity's own attributes with constants; with a condition that needs more, the index has
  /// all objects. If the condition does not parse, opening a store fails with `invalidModel` (134020).
  ///
  /// Core Data: `NSFetchIndexDescription.partialIndexPredicate`.
  public var partialIndexPredicate: String?

  /// An index with a given name.
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

  /// An ascending index of properties, named after them.
  ///
  /// - Parameter properties: The names of attributes and to-one relationships, the most significant first.
  ///   Joined with `_`, they are the index's name.
  public init(_ properties: [String]) {
    self.init(properties.joined(separator: "_"), elements: properties.map { Element($0) })
  }

  /// A full-text index of a string attribute, named after the attribute.
  ///
  /// The index is a table of trigrams beside the entity's table, which takes about three bytes a character and
  /// is kept up to date by triggers. A fetch takes the rows that the index names as candidates and checks each
  /// of them, so its results are the same as without the index. The index helps little where `[d]` meets texts
  /// beyond ASCII, and not at all in a store without SQLite 3.34 or later with FTS5.
  ///
  /// SQLite: "FTS5 Extension", "The Trigram Tokenizer".
  ///
  /// - Parameter attribute: The name of the attribute; with `_text` behind it, the name of the index.
  public init(fullText attribute: String) {
    self.init("\(attribute)_text", elements: [Element(attribute, type: .fullText)])
  }
}
