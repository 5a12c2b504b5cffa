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

  /// Opens the repository, so that a wrong path is reported at once.
  init(path: String) throws {
    self.path = path
    repository = try GitRepository(path: path)
  }

  /// Imports now, and again when `HEAD` has moved, as long as somebody wants to know of problems.
  ///
  /// - Returns: Why the last try failed, nil when it did not.
  func problems(importingInto container: PersistentContainer) -> AsyncStream<String?> {
    let (problems, problem) = AsyncStream<String?>.makeStream()
    let task = Task { [self] in
      var imported: String?
      while !Task.isCancelled {
        do {
          try await importHistory(into: container, after: &imported)
          problem.yield(nil)
        } catch {
          let failure = error as? CommandFailure ?? CommandFailure.explaining(error)
          problem.yield(failure?.message ?? "the import failed")
        }
        try? await Task.sleep(for: Self.interval)
      }
    }
    problem.onTermination = { _ in task.cancel() }
    return problems
  }

  private func importHistory(
    into container: PersistentContainer,
    after imported: inout String?
  ) async throws {
    let head = try repository.head()
    guard head != imported else { return }
    let quiet = Terminal(output: .standardOutput(), notes: FileWriter(descriptor: -1))
    _ = try await Importer(path: path, terminal: quiet).importHistory(into: container)
    imported = head
  }
}
