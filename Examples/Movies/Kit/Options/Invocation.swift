// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
import Foundation

/// A command line of `movies` that was understood: what to do, where, and in which form.
public struct Invocation: Sendable, Hashable {
  /// The commands with their arguments.
  public enum Action: Sendable, Hashable {
    /// Add a member of the family.
    case addMember(name: String)
    /// List the family.
    case listFamily
    /// Add a movie for a member.
    case addMovie(title: String, member: String)
    /// List movies.
    case list(ListOptions)
    /// Show a live list.
    case watch(ListOptions)
    /// Look up popularities: of all movies, or of those without one.
    case rate(all: Bool)
    /// Write a file.
    case export(path: String)
    /// Read a file.
    case importFile(path: String)
  }

  /// What to do.
  public let action: Action
  /// Where the movies are.
  public let store: StoreOptions
  /// Whether to print JSON.
  public let isJSON: Bool
  /// Where popularities are looked up.
  public let lookup: LookupOptions

  /// Reads what the parser understood.
  ///
  /// - Parameters:
  ///   - arguments: The result of ``MoviesTool/tool``.
  ///   - environment: The environment variables.
  /// - Throws: ``CommandFailure`` when arguments contradict each other or hold no name or title.
  public init(
    _ arguments: ParsedArguments,
    environment: [String: String]
  ) throws(CommandFailure) {
    action = try Self.action(arguments)
    store = try StoreOptions(
      arguments,
      program: MoviesTool.tool.name,
      environment: environment
    )
    if case .watch = action, store == .memory {
      throw .usage("nobody else can write to a store in memory", "Leave '--store memory' out.")
    }
    isJSON = arguments[CommonOptions.json]
    lookup = LookupOptions(
      baseURL: arguments[MoviesTool.baseURL] ?? LookupOptions.publicURL,
      key: environment["TMDB_API_KEY"].flatMap { $0.isEmpty ? nil : $0 }
    )
  }

  private static func action(_ arguments: ParsedArguments) throws(CommandFailure) -> Action {
    switch arguments.command {
    case MoviesTool.familyAdd.name:
      return .addMember(name: try text(MoviesTool.name, in: arguments))
    case MoviesTool.familyList.name:
      return .listFamily
    case MoviesTool.add.name:
      return .addMovie(
        title: try text(MoviesTool.title, in: arguments),
        member: try text(MoviesTool.member, in: arguments)
      )
    case MoviesTool.watch.name: return .watch(ListOptions(watching: arguments))
    case MoviesTool.rate.name: return .rate(all: arguments[MoviesTool.all])
    case MoviesTool.export.name: return .export(path: arguments[MoviesTool.newFile] ?? "")
    case MoviesTool.importing.name:
      return .importFile(path: arguments[MoviesTool.file] ?? "")
    default: return .list(ListOptions(arguments))
    }
  }

  /// A text without spaces around it, in one of the forms that Unicode holds to be equal.
  private static func text(
    _ positional: Positional,
    in arguments: ParsedArguments
  ) throws(CommandFailure) -> String {
    let text = (arguments[positional] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else {
      throw .usage("\(positional.name) is empty", "Give \(positional.help).")
    }
    return text.precomposedStringWithCanonicalMapping
  }
}
