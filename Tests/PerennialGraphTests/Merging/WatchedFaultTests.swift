// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// Watched objects whose rows are neither loaded nor stored any more.
@Suite("SEMANTICS 1D.13: detectConflicts of faults whose rows are gone")
struct WatchedFaultTests {
  @Test(arguments: StoreKind.allCases, [MergePolicy.overwrite, .mergeByPropertyObjectTrump])
  func `1D.13 detectConflicts: a fault that was deleted elsewhere reads as empty after a save`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let bench = try Bench(kind)
    let (first, context) = (bench.context(), bench.context())
    let theirs = GoldBadge(context: first)
    (theirs.text, theirs.carats) = ("theirs", 24)
    try first.save()
    let id = theirs.objectID
    context.mergePolicy = policy
    let badge = try context.object(GoldBadge.self, with: id)
    context.detectConflicts(for: badge)
    context.refreshAllObjects()
    #expect(badge.isFault)
    first.delete(theirs)
    try first.save()
    let author = Author(context: context)
    author.name = "Joe"
    try context.save()
    #expect(!author.isInserted && !context.hasChanges)
    #expect(badge.isGone && badge.managedObjectContext == nil)
    #expect(badge.text.isEmpty && badge.carats == 18 && badge.team == nil)
    #expect(badge.objectID == id && badge.objectID.entityName == "GoldBadge")
    badge.text = "ignored"
    #expect(badge.text.isEmpty)
    try context.save()
    #expect(try bench.context().count(for: Badge.all) == 0)
    #expect(try bench.context().count(for: Author.all) == 1)
  }
}
