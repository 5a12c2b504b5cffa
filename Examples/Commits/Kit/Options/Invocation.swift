// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// A command line of `commits` that was understood: what to do, where, and in which form.
public struct Invocation: Sendable, Hashable {
  /// The commands with their arguments.
  public enum Action: Sendable, Hashable {
    /// Import the history of a checkout.
    case importHistory(path: String)
    /// Import the history of a repository at GitHub.
    case importGitHub(GitHubOptions)
    /// List commits.
    case list(ListOptions)
    /// Show a live list.
    case watch(ListOptions)
    /// Show one commit.
    case show(CommitPrefix)
    /// Delete one commit.
    case delete(CommitPrefix)
    /// Count commits and authors.
    case stats
    /// Explain a list.
    case sql(ListOptions)
  }

  /// What to do.
  public let action: Action
  /// Where the commits are.
  public let store: StoreOptions
  /// Whether to print JSON.
  public let isJSON: Bool

  /// Reads what the parser understood.
  ///
  /// - Parameters:
  ///   - arguments: The result of ``CommitsTool/tool``.
  ///   - environment: The environment variables.
  /// - Throws: ``CommandFailure`` when arguments contradict each other.
  public init(
    _ arguments: ParsedArguments,
    environment: [String: String]
  ) throws(CommandFailure) {
    action = try Self.action(arguments, environment: environment)
    store = try StoreOptions(
      arguments,
      program: CommitsTool.tool.name,
      environment: environment
    )
    if case .watch(let options) = action, store == .memory, options.importPath == nil {
      throw .usage("nobody else can write to a store in memory", "Leave '--store memory' out.")
    }
    isJSON = arguments[CommonOptions.json]
  }

  private static func action(
    _ arguments: ParsedArguments,
    environment: [String: String]
  ) throws(CommandFailure) -> Action {
    let sha = arguments[CommitsTool.sha] ?? ""
    switch arguments.command {
    case CommitsTool.importing.name:
      return try importing(arguments, environment: environment)
    case CommitsTool.list.name: return .list(ListOptions(arguments))
    case CommitsTool.watch.name: return .watch(ListOptions(watching: arguments))
    case CommitsTool.show.name: return .show(try CommitPrefix(sha))
    case CommitsTool.delete.name: return .delete(try CommitPrefix(sha))
    case CommitsTool.sql.name: return .sql(ListOptions(arguments))
    default: return .stats
    }
  }

  private static func importing(
    _ arguments: ParsedArguments,
    environment: [String: String]
  ) throws(CommandFailure) -> Action {
    let path = arguments[CommitsTool.path]
    guard let repository = arguments[CommitsTool.github] else {
      for name in ["base-url", "token-env", "since"] where arguments.has(name) {
        throw .usage("'--\(name)' needs '--github'", "Add '--github OWNER/REPO', or leave it out.")
      }
      return .importHistory(path: path ?? ".")
    }
    guard path == nil else {
      throw .usage("a path and '--github' exclude each other", "Leave one of them out.")
    }
    return .importGitHub(try GitHubOptions(repository, arguments, environment: environment))
  }
}
