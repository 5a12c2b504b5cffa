// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import Perennial

extension PersistentContainer {
  /// How long the history is kept, in seconds: a week, after which no live list needs it any more.
  private static let historyAge: TimeInterval = 604_800

  /// Deletes the part of the history that nobody needs any more, if the store keeps one.
  public func forgetOldHistory() async throws {
    guard try currentPersistentHistoryToken() != nil else { return }
    let start = Date.now.addingTimeInterval(-Self.historyAge)
    try await performBackgroundTask { context in
      _ = try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: start))
    }
  }
}
