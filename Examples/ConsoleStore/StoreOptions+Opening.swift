// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
import Foundation
public import Perennial

/// What a command does with its store.
public enum StoreAccess: Sendable {
  /// It only reads, which works on a file that cannot be written, too.
  case read
  /// It changes what is there.
  case change
  /// It makes the file when it is missing.
  case create
}

extension StoreOptions {
  /// How often a live list looks for the changes of other processes where neither the system nor a server tells.
  private static let remoteChangeInterval: Duration = .seconds(1)

  /// Opens the store; one of an earlier version of the program is migrated although it was only to be read, if
  /// its file can be written.
  ///
  /// - Parameters:
  ///   - access: What for. An empty store in memory stands in for a missing file unless that is to
  ///     be made, so that reading leaves no file behind.
  ///   - watchesOthers: Whether the changes of other processes are noticed.
  ///   - earlierModels: The models that stores of earlier versions of the program have.
  ///   - open: Opens the store of a description.
  /// - Returns: What the closure returns.
  /// - Throws: ``CommandFailure`` when the folder of a new file cannot be made, or when the file had to be written and
  ///   cannot be; and what the closure throws.
  public func open(
    for access: StoreAccess,
    watchesOthers: Bool,
    earlierModels: [ManagedObjectModel],
    _ open: (StoreDescription) throws -> PersistentContainer
  ) throws -> PersistentContainer {
    var store = try description(for: access, watchesOthers: watchesOthers)
    store.migration.earlierModels = earlierModels
    do {
      return try open(store)
    } catch let error as PerennialError where error.code == .incompatibleVersionHash {
      guard store.isReadOnly else { throw error }
      guard !isOnlyReadable else { throw Self.cannotBeMigrated(store) }
      store.isReadOnly = false
      return try open(store)
    } catch let error as PerennialError where !store.isReadOnly && isOnlyReadable {
      // The library speaks to programmers.
      guard error.advisesReading else { throw error }
      var failure = CommandFailure(error)
      failure.advice = Self.writingAdvice
      throw failure
    } catch let error as PerennialError where store.isReadOnly && isEmptyServer(error) {
      var failure = CommandFailure(error)
      failure.advice = "Import something first: that makes the tables."
      throw failure
    }
  }

  /// Whether the store's file is there and cannot be written, or nothing can be written beside it.
  public var isOnlyReadable: Bool {
    guard let url = file?.resolvingSymlinksInPath(), !isMissing else { return false }
    return [url, url.deletingLastPathComponent()].contains {
      !FileManager.default.isWritableFile(atPath: $0.path)
    }
  }

  /// Whether a list of the store may not notice what others save: SQLite then reads the file as one that nobody writes
  /// to, so that everything that is shown has to be read at once.
  public var mayMissChanges: Bool {
    guard case .sqlite = self else { return false }
    return isOnlyReadable
  }

  /// What a list says whose store may miss changes.
  public static let missesChanges = "others' changes may be missing"

  private static let writingAdvice =
    "Allow writing to the file and its folder, or copy it and give the copy with '--store-path PATH'."

  private static func cannotBeMigrated(_ store: StoreDescription) -> CommandFailure {
    let name = store.url?.lastPathComponent.escapedForTerminal ?? ""
    return CommandFailure(
      "the store '\(name)' is of another version, and cannot be written to be migrated",
      advice: writingAdvice
    )
  }

  /// Whether a database has no tables yet, which reading does not make.
  private func isEmptyServer(_ error: PerennialError) -> Bool {
    guard case .postgres = self else { return false }
    return error.code == .persistentStoreOpen && error.advisesReading
  }

  /// The description of the store, which keeps a history for the live lists of other processes, if it
  /// needs one for them.
  private func description(
    for access: StoreAccess,
    watchesOthers: Bool
  ) throws -> StoreDescription {
    if case .postgres(let address) = self {
      var description = try address.store()
      description.isReadOnly = access == .read
      description.historyTracking = access != .read
      if watchesOthers { description.remoteChangeInterval = Self.remoteChangeInterval }
      return description
    }
    guard let url = file, access == .create || !isMissing else { return .inMemory }
    if access == .create { try Self.makeFolder(url.deletingLastPathComponent()) }
    var description: StoreDescription
    if case .json = self {
      description = .json(url)
      description.isReadOnly = access == .read
    } else {
      description = .sqlite(url)
      description.isReadOnly = access == .read && isOnlyReadable
      description.historyTracking = (access != .read || watchesOthers) && !description.isReadOnly
    }
    if watchesOthers { description.remoteChangeInterval = Self.remoteChangeInterval }
    return description
  }

  /// Whether there is no file yet: one of no bytes has still to be filled, if it is SQLite's.
  public var isMissing: Bool {
    guard let url = file else { return false }
    // A link that leads nowhere is there: opening it says what is wrong.
    guard let own = try? FileManager.default.attributesOfItem(atPath: url.path) else { return true }
    guard own[.type] as? FileAttributeType == .typeRegular else { return false }
    if case .json = self { return false }
    return own[.size] as? Int == 0 && !FileManager.default.fileExists(atPath: url.path + "-wal")
  }

  /// Says that there is no store when there is none.
  public func noteIfMissing(_ terminal: Terminal) {
    guard let url = file, isMissing else { return }
    terminal.note("There is no store '\(url.path.escapedForTerminal)' yet.")
  }

  private static func makeFolder(_ folder: URL) throws {
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw CommandFailure(
        "the folder '\(folder.path.escapedForTerminal)' cannot be made",
        advice: "Give another place with '--store-path PATH'."
      )
    }
  }
}

extension PerennialError {
  /// Whether the library advises programmers to open the store with `isReadOnly`, or without.
  fileprivate var advisesReading: Bool { recovery.contains("isReadOnly") }
}
