// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import Foundation
import Perennial

/// Imports a checkout whenever it has new commits.
struct CheckoutFollower: Sendable {
  /// How often to look, since no system tells of commits.
  private static let interval: Duration = .seconds(1)

  private let path: String
  private let repository: GitRepository
  private let container: PersistentContainer

  /// Opens the repository, so that a wrong path is reported at once.
  init(path: String, container: PersistentContainer) throws {
    self.path = path
    self.container = container
    repository = try GitRepository(path: path)
  }

  /// Imports now, and again when `HEAD` has moved, until the task is cancelled.
  func run() async throws {
    let quiet = Terminal(output: .standardOutput(), notes: FileWriter(descriptor: -1))
    var imported: String?
    while true {
      let head = try repository.head()
      if head != imported {
        _ = try await Importer(path: path, terminal: quiet).importHistory(into: container)
        imported = head
      }
      try await Task.sleep(for: Self.interval)
    }
  }
}
