// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

/// The stores that the tutorials' steps run over.
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
}

/// A folder of a test's own, removed with the value: what a tutorial calls the documents directory.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "perennial-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// A moment in a tutorial, so many seconds after the reference date.
func moment(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
