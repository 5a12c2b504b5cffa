// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CSVStore
import Foundation
import Perennial
import PerennialTestKit
import TablesStore

/// The stores that have to behave.
enum Stores {
  static let memory = StoreUnderTest("memory", capabilities: []) { .inMemory }

  static let sqlite = StoreUnderTest("SQLite", capabilities: [.durable, .history]) {
    .sqlite(try Scratch.shared.folder().appending(path: "store.sqlite"))
  }

  static let sqliteInMemory = StoreUnderTest("SQLite in memory", capabilities: []) {
    .sqliteInMemory
  }

  static let json = StoreUnderTest("JSON", capabilities: [.durable, .history]) {
    .json(try Scratch.shared.folder().appending(path: "store.json"))
  }

  static let csv = StoreUnderTest("CSV folder", capabilities: [.durable, .history]) {
    let folder = try Scratch.shared.folder()
    return .custom { try CSVStore(folder: folder) }
  }

  static let keptCSV = StoreUnderTest(
    "CSV folder that is read once",
    capabilities: [.durable, .history]
  ) {
    let folder = try Scratch.shared.folder()
    return .custom { try CSVStore(folder: folder, isUnshared: true) }
  }

  /// A database by way of `PerennialSQL`.
  static let tables = StoreUnderTest("SQL tables", capabilities: [.durable]) {
    let file = try Scratch.shared.folder().appending(path: "store.db")
    return .custom { try TablesStore(file) }
  }

  /// A store that claims nothing but that it is durable.
  static let plain = StoreUnderTest("plain", capabilities: [.durable]) {
    let disk = EngineStore.Disk()
    return .custom { EngineStore(disk, capabilities: [.durable]) }
  }

  static let engine = StoreUnderTest("engine", capabilities: [.durable, .history]) {
    let disk = EngineStore.Disk()
    return .custom { EngineStore(disk) }
  }

  /// A store that does something wrong.
  static func broken(_ fault: EngineStore.Fault) -> StoreUnderTest {
    StoreUnderTest(fault.rawValue, capabilities: [.durable]) {
      let disk = EngineStore.Disk()
      return .custom { EngineStore(disk, fault: fault) }
    }
  }

  static let all = [memory, sqlite, sqliteInMemory, json, csv, keptCSV, tables, plain, engine]
}

/// Where the tests put their files; the folder goes at the end of the process.
final class Scratch: Sendable {
  static let shared = Scratch()

  private let root = FileManager.default.temporaryDirectory
    .appending(path: "conformance-\(UUID().uuidString)")

  private init() {
    atexit { try? FileManager.default.removeItem(at: Scratch.shared.root) }
  }

  /// A new, empty folder.
  func folder() throws -> URL {
    let folder = root.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}
