// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelCache
import PerennialModelFiles
import PerennialSQL
import Testing

@testable import PerennialSQLite

/// A store that Core Data wrote, with what there is of its model: a folder with `store.sqlite`, its log, an
/// `.xcdatamodel` or `.mom` files.
///
/// The fixtures' origins and licences are in `Fixtures/INDEX.md`; `PERENNIAL_STORE_CORPUS` names a folder of
/// others.
struct CorpusStore: Sendable, CustomTestStringConvertible {
  let name: String
  let folder: URL

  var testDescription: String { name }

  static let isForeign = ProcessInfo.processInfo.environment["PERENNIAL_STORE_CORPUS"] != nil

  /// The stores with a model that has their version hashes, as far as it is known how they are made.
  static let all = found.filter { (try? $0.model()) != nil }

  /// The others.
  static let withoutModel = found.filter { (try? $0.model()) == nil }

  private static let found: [CorpusStore] = {
    let environment = ProcessInfo.processInfo.environment["PERENNIAL_STORE_CORPUS"]
    guard let folder = environment.map({ URL(filePath: $0) }) ?? fixtures,
      let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    else { return [] }
    let stores = names.compactMap { $0 as? URL }.filter { $0.lastPathComponent == "store.sqlite" }
    return stores.map { store in
      let folder = store.deletingLastPathComponent()
      return CorpusStore(name: folder.lastPathComponent, folder: folder)
    }.sorted { $0.name < $1.name }
  }()

  private static let fixtures = Bundle.module.url(
    forResource: "stores",
    withExtension: nil,
    subdirectory: "Fixtures"
  )

  /// A fixture.
  static func named(_ name: String) throws -> CorpusStore {
    let fixtures = try #require(fixtures)
    return CorpusStore(name: name, folder: fixtures.appending(path: name))
  }

  /// The first of the models in reach that has the store's version hashes.
  ///
  /// A model file may be of another version; for `ddg-bookmarks-v1` there is the one that followed, which
  /// differs in the modifiers of its hashes only.
  func model() throws -> ManagedObjectModel {
    let copy = try StoreFolder(self)
    guard let stored = try copy.metadata().hashes else { throw NoModel() }
    let models = try candidates(copy.store)
    let fitting = models.first { model in
      let differences = model.layout.versionHashes.differences(from: stored)
      return VersionHashes.uncertainNames(of: model.layout).isSuperset(of: differences)
    }
    guard let fitting else { throw NoModel() }
    return fitting
  }

  private struct NoModel: Error {}

  private func candidates(_ store: URL) throws -> [ManagedObjectModel] {
    var models: [ManagedObjectModel] = []
    var plainModels: [ManagedObjectModel] = []
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    for name in names where name.hasSuffix(".xcdatamodel") {
      let url = folder.appending(path: name)
      models.append(try ManagedObjectModel(contentsOf: url))
      let text = try String(contentsOf: url.appending(path: "contents"), encoding: .utf8)
      let plain = text.replacing(#/ versionHashModifier="[^"]*"/#, with: "")
      plainModels.append(try ModelDocument(Data(plain.utf8)).model)
    }
    for name in names where name.hasSuffix(".mom") {
      models.append(try ManagedObjectModel(contentsOf: folder.appending(path: name)))
    }
    if let cached = try? ManagedObjectModel(cachedIn: store) { models.append(cached) }
    return models + plainModels
  }
}

/// A copy of a store in a folder of its own, removed with the value.
final class StoreFolder {
  let url: URL
  let store: URL

  /// A folder without a store.
  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "perennial-\(UUID().uuidString)")
    store = url.appending(path: "store.sqlite")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  convenience init(_ corpus: CorpusStore) throws {
    try self.init()
    let names = try FileManager.default.contentsOfDirectory(atPath: corpus.folder.path)
    for name in names where name.hasPrefix("store.sqlite") || name.hasSuffix("_SUPPORT") {
      let target = url.appending(path: name)
      try FileManager.default.copyItem(at: corpus.folder.appending(path: name), to: target)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: target.path)
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The files beside the store and what is in them.
  func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      contents[name] = try? Data(contentsOf: url.appending(path: name))
    }
    return contents
  }

  /// A connection of SQLite's, for looking and changing behind the store's back.
  func connect() throws -> SQLiteConnection {
    try SQLiteConnection(path: store.path, access: .write, busyTimeout: .seconds(30))
  }

  func metadata() throws -> StoreMetadata {
    guard let metadata = try MetadataTable(connect()).read() else {
      throw SQLiteFailure(code: 1, message: "no metadata")
    }
    return metadata
  }

  /// Runs statements on the file while no store is open.
  func execute(_ sql: String...) throws {
    let connection = try connect()
    for statement in sql { try connection.execute(statement) }
  }
}
