// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// Which kind of store to open, where, and how.
///
/// ```swift
/// var store = StoreDescription.sqlite(URL(filePath: "/tmp/Project38.sqlite"))
/// store.busyTimeout = .seconds(2)
/// ```
///
/// Core Data: `NSPersistentStoreDescription`.
public struct StoreDescription: Sendable {
  /// The store's file, or the address of one on a server without the password; `nil` for a store in memory or of
  /// your own.
  public package(set) var url: URL?
  /// Whether the store is opened for reading only.
  public var isReadOnly = false
  /// How long a save, an opening or a migration waits for others that lock the store, before it fails with
  /// code 134090.
  public var busyTimeout: Duration = .seconds(5)
  /// What a save outlives once it has returned.
  ///
  /// Only SQLite stores and JSON stores have a choice.
  public var durability = StoreDurability.full
  /// Settings of the connections to a SQLite store, by the names of SQLite's pragmas.
  ///
  /// ```swift
  /// store.pragmas = ["cache_size": "-131072", "secure_delete": "ON"]
  /// ```
  ///
  /// There are `cache_size`, `temp_store`, `secure_delete`, `journal_mode` (`WAL`, `DELETE` or
  /// `TRUNCATE`), `journal_size_limit`, `fullfsync` and `checkpoint_fullfsync`. Opening the store throws
  /// `persistentStoreOpen` (134080) for any other name, for a value that does not fit, and for any pragma
  /// of a store that is not a SQLite store.
  ///
  /// Core Data: `NSPersistentStoreDescription.setValue(_:forPragmaNamed:)`, `sqlitePragmas`.
  public var pragmas: [String: String] = [:]
  /// Whether opening a SQLite store counts what its indexes hold, so that queries use the best one.
  ///
  /// The time grows with the size of the store. A store that is opened for reading only is not analyzed.
  /// Other stores ignore this option.
  ///
  /// Core Data: `NSSQLiteAnalyzeOption`.
  public var analyzesOnOpening = false
  /// Whether opening a SQLite store writes it anew, without the room that deleted rows have left.
  ///
  /// The time and the free space that it takes grow with the size of the store. A store that is opened for
  /// reading only stays as it is. Other stores ignore this option.
  ///
  /// Core Data: `NSSQLiteManualVacuumOption`.
  public var vacuumsOnOpening = false
  /// The name of the model's configuration whose entities the store keeps; `nil` for all entities.
  ///
  /// Core Data: `NSPersistentStoreDescription.configuration`.
  public var configuration: String?
  /// Whether the store keeps a history: what every save changed, and who saved.
  ///
  /// A store that has a history continues it, whatever this says, so that the history has no gaps. If
  /// another program turns the history on while this one has the store open, this one continues it from its
  /// next save. ``PersistentHistoryChangeRequest`` reads the history, and deletes what is no longer needed.
  ///
  /// Core Data: `NSPersistentHistoryTrackingKey`.
  public var historyTracking = false
  /// Whether the history also keeps the values that updates and deletions replace, so that a
  /// transaction can be undone: see `ManagedObjectContext.revert(_:)`.
  ///
  /// This also turns `historyTracking` on, and, like that, stays on in the store. Saves read the values that
  /// they are about to replace.
  public var historyKeepsOldValues = false
  /// How often to look whether another process has written to the store; `nil` for never.
  ///
  /// On Linux and Android, most changes to a file are noticed at once, whatever the interval. So are changes that
  /// the store's server announces.
  ///
  /// Core Data: `NSPersistentStoreRemoteChangeNotificationPostOptionKey`.
  public var remoteChangeInterval: Duration?
  /// Whether opening migrates a store of an earlier version of the model; if not, opening throws
  /// `incompatibleVersionHash` (134100).
  ///
  /// A store that is opened for reading only is never migrated.
  ///
  /// Core Data: `NSPersistentStoreDescription.shouldMigrateStoreAutomatically`.
  public var shouldMigrateStoreAutomatically = true
  /// Whether a migration infers what to do by comparing the models; if not, it does only the stages that the
  /// program gives.
  ///
  /// Core Data: `NSPersistentStoreDescription.shouldInferMappingModelAutomatically`.
  public var shouldInferMappingModelAutomatically = true
  /// What the program says of migrations: a `Migration`, which knows contexts.
  package var migrationOptions: (any Sendable)?
  /// Where the store's log goes; `nil` for standard error, if ``logLevel`` or the environment asks for a log.
  ///
  /// ```swift
  /// store.log = { event in print(event.kind, event.message) }
  /// ```
  ///
  /// The closure is called on the thread that used the store, after the store has answered. It must not use
  /// the container of that store.
  public var log: (@Sendable (LogEvent) -> Void)?
  /// How much the store logs of its statements.
  ///
  /// `nil` leaves this to the environment variable `PERENNIAL_SQL_DEBUG` (1 to 4) and the launch
  /// argument `-com.apple.CoreData.SQLDebug`. Where neither says anything, a store with a ``log`` logs
  /// statements and times, and any other store logs nothing.
  public var logLevel: LogLevel?

  /// A SQLite file, created when it does not exist.
  ///
  /// - Parameter url: The file. Its folder must exist. As in Core Data, `/dev/null` stands for a database in
  ///   memory: ``sqliteInMemory``.
  /// - Returns: The description.
  public static func sqlite(_ url: URL) -> StoreDescription {
    url.path(percentEncoded: false) == "/dev/null"
      ? .sqliteInMemory : StoreDescription(url: url, kind: .sqlite)
  }

  /// A SQLite database in memory, gone with its container: for tests that must run on SQLite.
  ///
  /// It answers with SQL, as a file does. For most tests, ``inMemory`` is the faster store.
  public static var sqliteInMemory: StoreDescription { StoreDescription(url: nil, kind: .sqlite) }

  /// A store of your own.
  ///
  /// ```swift
  /// let store = StoreDescription.custom { try CSVStore(folder: folder) }
  /// ```
  ///
  /// `busyTimeout` and `remoteChangeInterval` have no effect on it. Its history goes when the store is
  /// closed, unless the store claims ``StoreCapabilities/history``.
  ///
  /// - Parameter make: Makes the store, each time the description is opened. If it throws, opening fails: with
  ///   a ``PerennialError`` as it is, with a ``StoreProblem`` under the code of its kind, else under 134080.
  /// - Returns: The description.
  public static func custom(
    _ make: @escaping @Sendable () throws -> any PersistentStore
  ) -> StoreDescription {
    var description = StoreDescription(url: nil, kind: .memory)
    description.makeStore = make
    return description
  }

  /// Whether a SQLite store that is only read gets no files beside it, not even those that its users share.
  ///
  /// It is then not noticed when somebody begins to write: the reader must look whether the file has
  /// changed when it is done.
  package var leavesNoTrace = false

  /// Makes the store, if it is one of your own; `nil` for all other stores.
  ///
  /// A test can wrap the store in another one: see `FailingStore` of PerennialTestKit.
  public private(set) var makeStore: (@Sendable () throws -> any PersistentStore)?

  /// A JSON file, created when it does not exist: one object on a line, read and written as a whole.
  ///
  /// It is for data that people or other programs read, compare and keep under version control, and for up
  /// to 100,000 objects or so: every save writes the whole file, and with it the whole history.
  ///
  /// Core Data: an atomic store, as `NSXMLStoreType` is.
  ///
  /// - Parameter url: The file. Its folder must exist.
  /// - Returns: The description.
  public static func json(_ url: URL) -> StoreDescription {
    StoreDescription(url: url, kind: .json)
  }

  /// A store in memory, gone with its container.
  public static var inMemory: StoreDescription { StoreDescription(url: nil, kind: .memory) }

  /// A store on a server.
  ///
  /// - Parameters:
  ///   - url: Its address. The description has it without the password, which the kind must keep.
  ///   - kind: Who opens it.
  /// - Returns: The description.
  package static func server(_ url: URL, _ kind: ServerKind) -> StoreDescription {
    var description = StoreDescription(url: url.withoutPassword, kind: .server)
    description.server = kind
    return description
  }

  /// Opens the store, if it is one on a server.
  package private(set) var server: ServerKind?

  /// What kinds of stores there are; a program's own are in memory for all that is known of them.
  package enum FileKind: Sendable {
    case sqlite, json, memory, server
  }

  /// The kind of the store, or of its file.
  package let kind: FileKind

  /// Whether the store is a file, which has to be there before it is opened or is made by it.
  package var isFile: Bool { kind != .server && url != nil }

  private init(url: URL?, kind: FileKind) {
    self.url = url
    self.kind = kind
  }
}
