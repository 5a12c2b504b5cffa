// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
public import PerennialModelFiles
import PerennialSQLite

extension ManagedObjectModel {
  /// The model that Core Data keeps in a store that it wrote, so that the store opens without a model file.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(cachedIn: URL(filePath: "Notes.sqlite"))
  /// let container = try PersistentContainer(name: "Notes", model: model)
  /// ```
  ///
  /// Stores that were made by frameworks up to 519 (iOS 8) hold no model. Two things are lost: the order of an
  /// entity's properties, and what the diagnostics of ``PerennialModelFiles/ModelDocument/init(cachedIn:)``
  /// name. The file is only read.
  ///
  /// - Parameter store: The store's file.
  /// - Throws: `persistentStoreOpen` (134080) when there is no such store, or when it holds no copy of its
  ///   model; `invalidModel` (134020) when the copy is damaged.
  public init(cachedIn store: URL) throws(PerennialError) {
    self = try ModelDocument(cachedIn: store).model
  }
}

extension ModelDocument {
  /// The model that Core Data keeps in a store that it wrote, with the names of its classes and a list of what
  /// is lost.
  ///
  /// ```swift
  /// let document = try ModelDocument(cachedIn: URL(filePath: "Notes.sqlite"))
  /// for diagnostic in document.diagnostics { print(diagnostic) }
  /// let folder = URL(filePath: "Notes.xcdatamodel")
  /// try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  /// try document.contents.write(to: folder.appending(path: "contents"))
  /// ```
  ///
  /// - Parameter store: The store's file.
  /// - Throws: `persistentStoreOpen` (134080) when there is no such store, or when it holds no copy of its
  ///   model; `invalidModel` (134020) when the copy is damaged.
  public init(cachedIn store: URL) throws(PerennialError) {
    let cached = try CachedModel(of: store)
    let name = store.deletingPathExtension().lastPathComponent
    let archive: Data
    do throws(Inflater.Failure) {
      archive = try Inflater.inflate(cached.content, limit: Self.byteLimit)
    } catch {
      let reason =
        switch error {
        case .damaged: "'Z_MODELCACHE.Z_CONTENT' is not compressed as Core Data does it"
        case .tooLarge: "'Z_MODELCACHE.Z_CONTENT' stands for more than \(Self.byteLimit >> 20) MiB"
        }
      throw .invalidModel(
        "The model in the store '\(store.lastPathComponent)' cannot be read: \(reason).",
        "give its model: an '.xcdatamodeld', or the app's '.momd'"
      )
    }
    self = try CompiledModelReader(named: name).document(archive, hashes: cached.hashes)
  }

  /// The bytes that an archived model may have.
  private static let byteLimit = 64 << 20
}
