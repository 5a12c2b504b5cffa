// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import Perennial
import PerennialJSON
import PerennialModel
import PerennialModelCache
import PerennialModelFiles
import PerennialSQLite
import PerennialStore

/// A store's file that was named on the command line, to be read without a trace.
struct StoreFile: NamedStore {
  let path: String
  let format: FileFormat
  /// How a SQLite file is read.
  private let reading: StoreReading?

  /// Looks at a file.
  ///
  /// - Throws: ``CommandFailure`` when it is no store.
  init(_ path: String) throws {
    try self.init(path, FileKind.store(at: path))
  }

  init(_ path: String, _ format: FileFormat) throws {
    self.path = path
    self.format = format
    reading = format == .sqlite ? try StoreReading(path) : nil
  }

  var name: String { URL(filePath: path).lastPathComponent }

  var title: String { format.title }

  /// The file to open.
  var url: URL { reading?.url ?? URL(filePath: path) }

  /// Makes sure that what was read is the store's, after it has been read.
  func finish() throws { try reading?.finish() }

  /// What the store says of itself.
  func metadata() throws(PerennialError) -> PersistentStoreMetadata {
    switch format {
    case .sqlite: try SQLiteFiles(busyTimeout: .seconds(5)).metadata(at: url)
    case .json: try JSONFiles(busyTimeout: .seconds(5)).metadata(at: url)
    }
  }

  /// The copy of the model that the store holds; nil when it holds none.
  ///
  /// - Throws: `invalidModel` when the copy is damaged.
  func storedModel() throws(PerennialError) -> ModelDocument? {
    let files: any StoreFiles =
      format == .sqlite
      ? SQLiteFiles(busyTimeout: .seconds(5))
      : JSONFiles(busyTimeout: .seconds(5))
    // A store whose version hashes are of a kind of their own has no copy that fits them.
    if let stored = try? (files as? any MigratableFiles)?.storedModel(at: url, among: []),
      let model = stored.model
    {
      return ModelDocument(model, named: name)
    }
    guard format == .sqlite else { return nil }
    do throws(PerennialError) {
      return try ModelDocument(cachedIn: url)
    } catch {
      if error.code == .persistentStoreOpen { return nil }
      throw error
    }
  }

  func storedHashes() throws(PerennialError) -> [String: Data] {
    try metadata().modelVersionHashes
  }

  /// How the library opens the store to read it.
  var description: StoreDescription {
    var description: StoreDescription = format == .sqlite ? .sqlite(url) : .json(url)
    description.isReadOnly = true
    description.leavesNoTrace = true
    return description
  }

  /// Makes sure that no row of a store has a key that cannot be read.
  static func checkKeys(of stores: any RowStore...) throws(PerennialError) {
    for store in stores { try (store as? SQLiteStore)?.checkKeys() }
  }

  /// Why a JSON store cannot be opened with the model that it holds, or else a given one: nil when it can be, or when
  /// there is no model of it.
  func reasonNotToOpen(_ model: ManagedObjectModel? = nil) -> PerennialError? {
    guard format == .json, let model = (try? LoadedModel(of: self, in: nil))?.model ?? model
    else { return nil }
    do throws(PerennialError) {
      _ = try open(model)
      return nil
    } catch {
      return error.code == .persistentStoreOpen ? error : nil
    }
  }

  /// How many large values rows of a SQLite store name whose files are not there: they are read as none.
  func missingLargeValueCount(_ model: ManagedObjectModel) -> Int {
    guard format == .sqlite else { return 0 }
    return (try? SQLiteInspector.missingLargeValueCount(in: url, model.layout)) ?? 0
  }

  /// The store, opened to be read.
  ///
  /// - Throws: `PerennialError` when the model is not the store's.
  func open(_ model: ManagedObjectModel) throws(PerennialError) -> any RowStore {
    switch format {
    case .sqlite:
      return try SQLiteStore(
        url: url,
        model: model.layout,
        isReadOnly: true,
        options: StoreOptions(description)
      )
    case .json: return try JSONStore(url: url, model: model.layout, isReadOnly: true)
    }
  }
}
