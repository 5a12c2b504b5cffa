// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
public import Foundation

/// Where a command finds its store.
public enum StoreOptions: Sendable, Hashable {
  /// A SQLite file.
  case sqlite(URL)
  /// A store that begins empty and ends with the command.
  case memory

  /// The store that a command line asks for.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - environment: The environment variables.
  /// - Throws: ``CommandFailure`` when the options contradict each other, or when there is no data
  ///   folder.
  public init(
    _ arguments: ParsedArguments,
    environment: [String: String]
  ) throws(CommandFailure) {
    let path = arguments[CommitsTool.storePath]
    switch arguments[CommitsTool.store] ?? .sqlite {
    case .memory:
      guard path == nil else {
        throw .usage(
          "'--store-path' has no effect with '--store memory'",
          "Leave one of them out."
        )
      }
      self = .memory
    case .sqlite:
      if let path {
        self = .sqlite(URL(fileURLWithPath: path))
      } else {
        self = .sqlite(try Self.dataFolder(environment).appendingPathComponent("commits.sqlite"))
      }
    }
  }

  /// The folder of the program's data: XDG Base Directory Specification, or Application Support on
  /// Apple's systems.
  private static func dataFolder(_ environment: [String: String]) throws(CommandFailure) -> URL {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      return URL(fileURLWithPath: data, isDirectory: true).appendingPathComponent("commits")
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw CommandFailure(
        "there is no folder for the store, because HOME is not set",
        advice: "Give a file with '--store-path PATH'."
      )
    }
    #if canImport(Darwin)
    let folder = "Library/Application Support/commits"
    #else
    let folder = ".local/share/commits"
    #endif
    return URL(fileURLWithPath: home, isDirectory: true).appendingPathComponent(folder)
  }
}
