// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("Fetches by one attribute's value")
struct LookUpTests {
  private static let conditions: [FetchPredicate] = [
    "message == 'same'", "message == 'none'", "kind == 0", "#size == nil", "place == NULL",
    "sha == 'a'",
    "SELF.message == 'same'",
  ]

  /// A context in which three commits are saved, two of them with one message.
  private func makeContext(_ kind: StoreKind) throws -> (Bench, ManagedObjectContext) {
    let saved = try Bench(kind)
    let context = saved.context()
    for (sha, message) in [("a", "same"), ("b", "other"), ("c", "same")] {
      let commit = Commit(context: context)
      commit.sha = sha
      commit.message = message
    }
    try context.save()
    return (saved, saved.context())
  }

  @Test(arguments: StoreKind.allCases, conditions)
  func `a look-up finds what the general way finds, with and without unsaved changes`(
    _ kind: StoreKind,
    _ condition: FetchPredicate
  ) throws {
    let (saved, context) = try makeContext(kind)
    defer { withExtendedLifetime(saved) {} }
    let general = condition && FetchPredicate(format: "sha != 'x'")
    func check() throws {
      let found = try context.fetch(Commit.filter(condition))
      #expect(try Set(found) == Set(context.fetch(Commit.filter(general))))
      #expect(try context.fetch(Commit.filter(condition).limit(1)).count == min(1, found.count))
      #expect(try (context.first(Commit.filter(condition)) == nil) == found.isEmpty)
      #expect(try context.count(for: Commit.filter(condition)) == found.count)
    }
    try check()
    let edited = try #require(try context.first(Commit.filter("sha == 'b'")))
    edited.message = "same"
    try check()
    let new = Commit(context: context)
    new.sha = "d"
    new.message = "none"
    try check()
    context.delete(try #require(try context.first(Commit.filter("sha == 'a'"))))
    try check()
    try context.save()
    try check()
  }
}
