// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// What a list shows.
public struct ListOptions: Sendable, Hashable {
  /// How many commits a list for people shows when nothing else is said.
  public static let defaultLimit = 50

  /// Whether only fixes are shown.
  public var onlyFixes = false
  /// Whether merges of pull requests are left out.
  public var excludesPullRequests = false
  /// How old a commit may be, nil for any age.
  public var recent: TimeSpan?
  /// The author's name, nil for all authors.
  public var author: String?
  /// A predicate format, nil for none.
  public var format: String?
  /// Whether the commits are in sections, one for each author.
  public var isByAuthor = false
  /// How many commits are shown at most, 0 for all.
  public var limit = ListOptions.defaultLimit
  /// The checkout to import first, nil for none.
  public var importPath: String?

  /// Whether a commit must meet a condition to be shown.
  public var hasConditions: Bool {
    onlyFixes || excludesPullRequests || recent != nil || author != nil || format != nil
  }

  /// The options of a list without conditions.
  public init() {}

  /// The options of a command line.
  public init(_ arguments: ParsedArguments) {
    onlyFixes = arguments[CommitsTool.fixes]
    excludesPullRequests = arguments[CommitsTool.noPullRequests]
    recent = arguments[CommitsTool.recent]
    author = arguments[CommitsTool.author]
    format = arguments[CommitsTool.format]
    isByAuthor = arguments[CommitsTool.byAuthor]
    limit = arguments[CommitsTool.limit] ?? (arguments[CommonOptions.json] ? 0 : Self.defaultLimit)
    importPath = arguments[CommitsTool.importPath]
  }

  /// The options of a live list, which has sections unless it is sorted by date.
  public init(watching arguments: ParsedArguments) {
    self.init(arguments)
    isByAuthor = !arguments[CommitsTool.byDate]
    limit = arguments[CommitsTool.watchLimit] ?? 0
  }
}
