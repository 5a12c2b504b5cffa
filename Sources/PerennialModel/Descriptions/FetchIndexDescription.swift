// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What kind of question an element of an index answers.
///
/// Core Data: `NSFetchIndexElementType`, which has no full text.
public enum FetchIndexElementType: String, Sendable, Hashable, Codable, CaseIterable {
  /// Equality, ranges and sorts.
  case binary
  /// Which texts contain a part: `CONTAINS`, `BEGINSWITH`, `ENDSWITH`, `LIKE` and `==[c]`, of three
  /// characters or more, with `[c]`, `[d]` or without.
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
    /// What kind of question it answers.
    public var type: FetchIndexElementType

    /// An element of an index.
    ///
    /// - Parameters:
    ///   - property: The name of an attribute or to-one relationship.
    ///   - isAscending: Whether the index ascends.
    ///   - type: What kind of question it answers; full text is for string attributes.
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
  ///
  /// - Parameter properties: Names of attributes and to-one relationships, the most significant first; with `_` between
  ///   them, they are the index's name.
  public init(_ properties: [String]) {
    self.init(properties.joined(separator: "_"), elements: properties.map { Element($0) })
  }

  /// An index of the texts of a string attribute, named after it.
  ///
  /// It is a table of trigrams beside the entity's table, three bytes or so a character, kept up to
  /// date by triggers. A fetch takes the rows that it names as candidates and decides about each of
  /// them, so results are those of a fetch without it. It helps little where `[d]` meets texts beyond
  /// ASCII, and nothing in a store that has no SQLite with FTS5 (3.34 or later).
  ///
  /// SQLite: "FTS5 Extension", "The Trigram Tokenizer".
  ///
  /// - Parameter attribute: The name of the attribute. With `_text` behind it, it is the index's name.
  public init(fullText attribute: String) {
    self.init("\(attribute)_text", elements: [Element(attribute, type: .fullText)])
  }
}
