// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

@Suite("SEMANTICS 1D.2: what a child asks of the store above its parent")
struct ChildQueryTests {
  /// Three saved commits, the last of which has another message.
  private func family(_ kind: StoreKind) throws -> Family {
    let family = try Family(kind, depth: 2)
    for (sha, message) in [("1", "m"), ("2", "m"), ("3", "n")] {
      _ = family.top.insertCommit(sha, message)
    }
    try family.top.save()
    return family
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.8 values and explanations are the store's as long as nobody above has changes`(
    _ kind: StoreKind
  ) throws {
    let family = try family(kind)
    let count = PropertyToFetch.expression(ExpressionDescription("n", format: "count(SELF)"))
    let groups = Commit.all.fetching("message", count).grouped(by: "message")
      .sorted(by: FetchSort("message"))
    let same = Commit.filter("message == 'm'")
    #expect(try family.child.count(for: same) == 2)
    let values = try family.child.fetchDictionaries(groups)
    #expect(values.map { $0["n"] as? Int64 } == [2, 1])
    for request in [groups, same] {
      let (below, above) = (try family.child.explain(request), try family.top.explain(request))
      #expect(below.sql == above.sql && below.inMemory == above.inMemory)
      #expect(below.sql.isEmpty == (kind != .sqlite && kind != .postgres))
    }
    // What a context in between has changed is part of what its child sees.
    try #require(try family.parent.fetch(Commit.filter("sha == '3'")).first).message = "m"
    #expect(try family.child.count(for: same) == 3)
    #expect(try family.child.fetchDictionaries(groups).map { $0["n"] as? Int64 } == [3])
  }

  @Test func `1G.14 SQL, and what may be asked of it, go to the store`() throws {
    let family = try family(.sqlite)
    let rows = try family.child.fetch(
      Commit.self,
      sql: "SELECT Z_PK FROM ZCOMMIT ORDER BY ZSHA DESC"
    )
    #expect(rows.map(\.sha) == ["3", "2", "1"])
    var request = Commit.filter("message == 'm'")
    request.requiresSQL = true
    #expect(try family.child.fetch(request).count == 2)
    let count = PropertyToFetch.expression(ExpressionDescription("n", format: "count(SELF)"))
    #expect(try family.child.fetchDictionaries(request.fetching(count)).count == 1)
    let scan = Commit.filter("message == 'm'").requireIndex()
    #expect(code { _ = try family.child.fetch(scan) } == .requiresIndex)
    #expect(try family.child.fetch(Commit.filter("sha == '1'").requireIndex()).count == 1)
  }
}
