// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// Where a command finds its store.
public enum StoreOptions: Sendable, Hashable {
  /// A SQLite file.
  case sqlite(URL)
  /// A JSON file, one object a line.
  case json(URL)
  /// A database on a PostgreSQL server.
  case postgres(ServerAddress)
  /// A store that begins empty and ends with the command.
  case memory

  /// The option that chooses the kind of store.
  public static let kind = Option<StoreKind>(
    choice: "store",
    help: "where the data are kept (default: sqlite)"
  )
  /// The option that chooses the store's file or address.
  public static let path = Option(
    "store-path",
    placeholder: "PATH",
    help: "the store's file or address (default: in your data folder)",
    completion: .files
  )

  /// The store that a command line asks for.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - program: The program's name, which is that of its folder and file, too.
  ///   - environment: The environment variables.
  /// - Throws: ``CommandFailure`` when the options contradict each other, or when there is no data
  ///   folder.
  public init(
    _ arguments: ParsedArguments,
    program: String,
    environment: [String: String]
  ) throws(CommandFailure) {
    let path = arguments[Self.path]
    let isAddress = path.map(ServerAddress.isAddress) ?? false
    let kind = arguments[Self.kind] ?? (isAddress ? .postgres : .sqlite)
    switch kind {
    case .postgres:
      guard let path else {
        throw .usage(
          "'--store postgres' needs the address of a database",
          "Write: --store-path \(ServerAddress.form)"
        )
      }
      self = .postgres(try ServerAddress(path))
    case .memory:
      guard path == nil else {
        throw .usage(
          "'--store-path' has no effect with '--store memory'",
          "Leave one of them out."
        )
      }
      self = .memory
    case .sqlite, .json:
      guard !isAddress else {
        throw .usage("'--store-path' names a server, not a file", "Write: --store postgres")
      }
      let file: URL
      if let path {
        file = URL(fileURLWithPath: path)
      } else {
        let folder = try Self.dataFolder(environment).appendingPathComponent(program)
        file = folder.appendingPathComponent("\(program).\(kind.rawValue)")
      }
      self = kind == .json ? .json(file) : .sqlite(file)
    }
  }

  /// The store's file, nil when it has none.
  public var file: URL? {
    switch self {
    case .sqlite(let url), .json(let url): url
    case .postgres, .memory: nil
    }
  }

  /// The folder of all programs' data: XDG Base Directory Specification, or Application Support on
  /// Apple's systems.
  private static func dataFolder(_ environment: [String: String]) throws(CommandFailure) -> URL {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      return URL(fileURLWithPath: data, isDirectory: true)
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw CommandFailure(
        "there is no folder for the store, because HOME is not set",
        advice: "Give a file with '--store-path PATH'."
      )
    }
    #if canImport(Darwin)
    let folder = "Library/Application Support"
    #else
    let folder = ".local/share"
    #endif
    return URL(fileURLWithPath: home, isDirectory: true)
      .appendingPathComponent(folder, isDirectory: true)
  }
}
