// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialJSON
import PerennialModel
import PerennialPostgres
import PerennialSQLite
import PerennialStore
import ServerTesting
import Testing

/// The stores that every graph test runs over.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case inMemory
  case sqlite
  case json
  /// The second one of two stores: all rows have keys that say so.
  case second
  /// A store of a third party that claims nothing: its history is kept for it.
  case shelf
  /// One that keeps its history itself.
  case historicShelf
  /// One that does, and is read once.
  case ownShelf
  /// A database of the server that `make test-postgres` starts.
  case postgres

  /// The stores that tests run over: the second of two stores only when `PERENNIAL_STORES` is `all`.
  static let allCases: [StoreKind] =
    switch ProcessInfo.processInfo.environment["PERENNIAL_STORES"] {
    case "all": [.inMemory, .sqlite, .json, .second]
    case "postgres": [.postgres]
    default: [.inMemory, .sqlite, .json]
    }

  var testDescription: String { rawValue }

  /// A NUL, which databases of PostgreSQL do not take in a text.
  var nul: String { self == .postgres ? "" : "\u{0}" }

  func open(
    _ model: ModelLayout,
    in folder: URL,
    history: HistoryOptions = HistoryOptions()
  ) throws -> any RowStore {
    switch self {
    case .inMemory: return InMemoryStore(model: model, history: history)
    case .sqlite:
      return try SQLiteStore(
        url: folder.appending(path: "store.sqlite"),
        model: model,
        history: history
      )
    // The disk is not waited for: that would take most of the time of tests that save often.
    case .json:
      return try JSONStore(
        url: folder.appending(path: "store.json"),
        model: model,
        history: history,
        waitsForDisk: false
      )
    case .second:
      let stores = CombinedStore(model: model)
      try stores.add(.init(InMemoryStore(model: model), entities: []))
      let second = InMemoryStore(model: model, history: history)
      try stores.add(.init(second, entities: Set(model.entities.indices)))
      return stores
    case .shelf: return try StoreAdapter(ShelfStore([]), model: model, history: history)
    case .historicShelf:
      return try StoreAdapter(ShelfStore([.history]), model: model, history: history)
    case .ownShelf:
      return try StoreAdapter(ShelfStore([.history, .unshared]), model: model, history: history)
    case .postgres: return try Self.openOnServer(model, in: folder, history: history)
    }
  }

  /// Opens a store in a schema that belongs to a folder.
  private static func openOnServer(
    _ model: ModelLayout,
    in folder: URL,
    history: HistoryOptions
  ) throws -> any RowStore {
    #if PostgreSQL
    let location = try PostgresLocation(ServerSchema.named(folder.lastPathComponent))
    return try PostgresStore(location, model: model, history: history)
    #else
    throw PerennialError(.persistentStoreOpen, "The trait 'PostgreSQL' is off.", recovery: "")
    #endif
  }

  /// The stores that number the transactions of their history from 1.
  static let keepingHistory = allCases + [.historicShelf, .ownShelf]

  /// The same, and one whose history begins anew with each opening.
  static let havingHistory = keepingHistory + [.shelf]
}

/// A store of the fixture model, and contexts on it.
final class Bench {
  let coordinator: StoreCoordinator
  let folder: URL

  init(
    _ kind: StoreKind,
    model: ManagedObjectModel? = nil,
    classes: [ManagedObject.Type] = fixtureClasses,
    history: HistoryOptions = HistoryOptions()
  ) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let model = try model ?? makeModel()
    coordinator = StoreCoordinator(
      store: try kind.open(model.layout, in: folder, history: history),
      classes: Dictionary(uniqueKeysWithValues: classes.map { ($0.entityName, $0) })
    )
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func context() -> ManagedObjectContext { ManagedObjectContext(coordinator: coordinator) }
}

/// The code of the error that a closure throws; `nil` when it throws none.
func code(_ body: () throws -> Void) -> PerennialError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? PerennialError)?.code
  }
}
