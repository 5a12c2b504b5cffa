// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Conflicts as an app meets them: with the public API only.
@Suite("Conflicts")
struct ConflictTests {
  private func commit(_ sha: String, _ message: String, in context: ManagedObjectContext) -> Commit
  {
    let commit = Commit(context: context)
    (commit.sha, commit.message, commit.date) = (sha, message, .now)
    return commit
  }

  @Test(arguments: StoreKind.allCases)
  func `1M a long-lived context is not poisoned by a conflict`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let other = store.container.newBackgroundContext()
    let theirs = commit("1", "Begin", in: other)
    try other.save()

    let context = store.container.newBackgroundContext()
    let ours = try context.object(Commit.self, with: theirs.objectID)
    ours.message = "Ours"
    theirs.message = "Theirs"
    try other.save()
    let twin = commit("1", "Twin", in: context)

    let error = try failure { try context.save() }
    #expect(error.code == .managedObjectMerge)
    #expect(error.conflicts.count == 2 && error.conflicts == context.conflicts)
    #expect(ours.message == "Ours" && twin.message == "Twin")
    try context.discard(error.conflicts)
    try context.save()
    #expect(ours.message == "Theirs" && twin.objectID == ours.objectID)
    let later = commit("2", "Go on", in: context)
    try context.save()
    #expect(!later.objectID.isTemporaryID)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M a custom policy and its report`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let other = store.container.newBackgroundContext()
    let theirs = commit("1", "Begin", in: other)
    try other.save()

    let context = store.container.newBackgroundContext()
    context.mergePolicy = .custom { conflict in
      switch conflict {
      case .version(let conflict):
        conflict.isDeletedElsewhere ? .rollback : .mergeByPropertyObjectTrump
      case .constraint: .mergeByPropertyStoreTrump
      }
    }
    let twin = commit("1", "Twin", in: context)
    try context.save()
    let report = try #require(context.lastMergeReport)
    #expect(report.entries.map(\.objectID) == [theirs.objectID])
    #expect(report.entries.first?.choice(for: "message")?.source == .stored)
    #expect(twin.message == "Begin" && twin.isForwarding)
  }
}
