// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// What objects read as whose context was reset or is gone.
@Suite("SEMANTICS 1D.4: values of objects that have left their context")
struct LeftObjectTests {
  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.4 an unknown raw value reads as its default also when the context is reset or gone`(
    _ kind: StoreKind,
    resets: Bool
  ) throws {
    let bench = try Bench(kind)
    let writer = bench.context()
    let written = Commit(context: writer)
    written.sha = "a"
    try written.setValue("odd", forKey: "kind")
    try writer.save()
    var context: ManagedObjectContext? = bench.context()
    let commit = try #require(try context?.fetch(Commit.all).first)
    #expect(commit.kind == .normal)
    if resets { context?.reset() } else { context = nil }
    #expect(commit.managedObjectContext == nil)
    #expect(commit.kind == .normal && commit.sha == "a")
    writer.reset()
    #expect(written.kind == .normal && written.sha == "a")
    withExtendedLifetime(context) {}
  }
}
