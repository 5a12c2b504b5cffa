// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// Many contexts that save at once: what is counted is what was saved.
@Suite("SEMANTICS 1D.3, 1D.11: no lost update")
struct LostUpdateTests {
  /// `PERENNIAL_LONG=1` runs the long form, 100 contexts with 100 saves each.
  private static var isLong: Bool { ProcessInfo.processInfo.environment["PERENNIAL_LONG"] != nil }

  private static var contextCount: Int { isLong ? 100 : 20 }
  private static var saveCount: Int { isLong ? 100 : 20 }
  private static let counterCount = 4

  /// Every context raises counters by one, again after a conflict, and merges or not; the sum of the
  /// counters is the number of saves that succeeded.
  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.11 contexts that save at once lose no update`(
    _ kind: StoreKind,
    merging: Bool
  ) async throws {
    let bench = try Bench(kind)
    let setUp = bench.context()
    let badges = (0..<Self.counterCount).map { _ in GoldBadge(context: setUp) }
    for badge in badges { badge.carats = 0 }
    try setUp.save()
    let ids = badges.map(\.objectID)
    let coordinator = bench.coordinator
    let contextCount = Self.contextCount
    let saveCount = Self.saveCount
    let saved = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<contextCount {
        group.addTask {
          let context = ManagedObjectContext(coordinator: coordinator)
          context.automaticallyMergesChangesFromParent = merging
          for save in 0..<saveCount {
            try Self.raise(ids[(number + save) % ids.count], in: context)
          }
          return saveCount
        }
      }
      return try await group.reduce(0, +)
    }
    let reader = bench.context()
    let sum = try ids.reduce(0) { try $0 + reader.object(GoldBadge.self, with: $1).carats }
    #expect(sum == saved)
    #expect(saved == contextCount * saveCount)
  }

  /// Adds one to a counter, however often others come in between.
  private static func raise(
    _ id: ManagedObjectID,
    in context: ManagedObjectContext
  ) throws {
    while true {
      // Nothing is pending here: what has come in may be merged.
      _ = try context.fetch(GoldBadge.all)
      try context.object(GoldBadge.self, with: id).carats += 1
      guard let code = code({ try context.save() }) else { return }
      try #require(code == .managedObjectMerge)
      context.rollback()
    }
  }
}
