// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The files that the tests have from Core Data, and the vectors of predicates.
enum Fixtures {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The folders of stores: each has `store.sqlite`, and its model.
  static var stores: [URL] {
    folders(in: tests.appending(path: "CoreDataStoreTests/Fixtures/stores"))
  }

  /// The XML of models.
  static var models: [URL] {
    folders(in: tests.appending(path: "PerennialModelFilesTests/Fixtures/models"))
      .filter { $0.pathExtension == "xcdatamodel" }.map { $0.appending(path: "contents") }
  }

  /// Compiled models.
  static var compiledModels: [URL] {
    stores.flatMap { folders(in: $0) }.filter { $0.pathExtension == "mom" }
  }

  private static func folders(in folder: URL) -> [URL] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path())
    return (names ?? []).sorted().map { folder.appending(path: $0) }
  }

  private struct Vector: Decodable {
    let format: String
  }

  /// The formats of the vectors.
  static func formats() throws -> [String] {
    let file = tests.appending(path: "PerennialPredicateTests/Fixtures/vectors.json")
    return try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file)).map(\.format)
  }
}
