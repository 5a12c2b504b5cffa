// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// What a list shows.
public struct ListOptions: Sendable, Hashable {
  /// Whether the movies are in sections, one for each member of the family.
  public var isByMember = false
  /// A predicate format, nil for none.
  public var format: String?
  /// The file to import first, nil for none.
  public var importPath: String?

  /// The options of a list of all movies.
  public init() {}

  /// The options of a command line.
  public init(_ arguments: ParsedArguments) {
    isByMember = arguments[MoviesTool.byMember]
    format = arguments[MoviesTool.format]
    importPath = arguments[MoviesTool.importPath]
  }

  /// The options of a live list, which has sections unless it is sorted by title.
  public init(watching arguments: ParsedArguments) {
    self.init(arguments)
    isByMember = !arguments[MoviesTool.byTitle]
  }
}
