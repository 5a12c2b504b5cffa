// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// The stores that the samples run over.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case inMemory
  case sqlite
  case json

  var testDescription: String { rawValue }

  /// A description of a new store; a file lies in the folder.
  func description(in folder: TemporaryFolder) -> StoreDescription {
    switch self {
    case .inMemory: .inMemory
    case .sqlite: .sqlite(folder.url.appending(path: "Store.sqlite"))
    case .json: .json(folder.url.appending(path: "Store.json"))
    }
  }

  /// The stores that can keep a history.
  static let keepingHistory = allCases.filter { $0 != .json }
}

/// A folder of a test's own, removed with the value.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "perennial-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// A container of the tour's model, with its folder.
struct TourStore {
  let container: PersistentContainer
  private let folder: TemporaryFolder

  init(_ kind: StoreKind) throws {
    folder = try TemporaryFolder()
    container = try PersistentContainer(
      name: "Project38",
      entities: Commit.self,
      Author.self,
      store: kind.description(in: folder)
    )
  }

  /// Saves three commits by two authors; the newest is the last.
  func addCommits() async throws {
    try await container.performBackgroundTask { context in
      let joe = Author(context: context)
      joe.name = "Joe Groff"
      let ada = Author(context: context)
      ada.name = "Ada"
      let messages = ["Begin", "Fix a bug", "Merge pull request 7: fix"]
      for (number, message) in messages.enumerated() {
        let commit = Commit(context: context)
        commit.sha = "sha\(number)"
        commit.message = message
        commit.date = Date(timeIntervalSinceReferenceDate: Double(number))
        commit.author = number == 0 ? ada : joe
      }
      try context.save()
    }
  }
}

/// The error that a closure throws.
func failure(
  of body: () throws -> Void,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> PerennialError {
  try #require(
    #expect(throws: PerennialError.self, sourceLocation: sourceLocation) { try body() },
    sourceLocation: sourceLocation
  )
}
