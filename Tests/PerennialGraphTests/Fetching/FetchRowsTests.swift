// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("Fetch requests")
struct FetchRowsTests {
  private func makeBench(_ kind: StoreKind) throws -> Bench {
    let bench = try Bench(kind)
    let context = bench.context()
    let ann = Author(context: context)
    ann.name = "Ann"
    let bob = Author(context: context)
    bob.name = "Bob"
    for (number, author) in [ann, bob, ann, bob, bob].enumerated() {
      context.insertCommit("\(number)", "message \(number % 2)").author = author
    }
    Badge(context: context).text = "plain"
    GoldBadge(context: context).text = "gold"
    try context.save()
    return bench
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.2 a format, a typed condition and Foundation's predicate select the same, sorted`(
    _ kind: StoreKind
  ) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    let format = FetchPredicate(format: "message == %@ AND sha > %@", "message 0", "0")
    let typed = Commit.filter { $0.message == "message 0" && $0.sha > "0" }
    let foundation = FetchPredicate(
      #Predicate<Commit> { $0.message == "message 0" && $0.sha > "0" }
    )
    for request in [Commit.filter(format), typed, Commit.filter(foundation)] {
      let found = try context.fetch(request.sorted(by: \.sha, .reverse))
      #expect(found.map(\.sha) == ["4", "2"])
    }
    let sorts = [FetchSort("author.name"), FetchSort("sha", ascending: false)]
    var request = Commit.all
    request.sortDescriptors = sorts
    #expect(try context.fetch(request).map(\.sha) == ["2", "0", "4", "3", "1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.5 subentities, unsaved changes and faults come as the request says`(
    _ kind: StoreKind
  ) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    var badges = Badge.all.sorted(by: FetchSort("text"))
    #expect(try context.fetch(badges).map(\.text) == ["gold", "plain"])
    badges.includesSubentities = false
    #expect(try context.fetch(badges).map(\.text) == ["plain"])
    #expect(try context.count(for: badges) == 1)
    let changed = try #require(try context.first(Commit.filter("sha == '0'")))
    changed.message = "changed"
    _ = context.insertCommit("new")
    var stored = Commit.filter("message == 'message 0'")
    #expect(try context.count(for: stored) == 2)
    stored.includesPendingChanges = false
    #expect(try context.fetch(stored).count == 3)
    var whole = Commit.all.batchSize(2)
    whole.returnsObjectsAsFaults = false
    let other = bench.context()
    #expect(try other.fetch(whole).allSatisfy { !$0.isFault })
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.9 prefetched relationships are loaded with the objects`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    let commits = try context.fetch(Commit.all.prefetching(\.author))
    #expect(commits.count == 5)
    #expect(commits.allSatisfy { $0.author?.isFault == false })
    let wrong = Commit.all.prefetching("message")
    #expect(code { _ = try context.fetch(wrong) } == .unknownName)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.11 SUBQUERY counts the members that meet a condition`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    let request = Author.filter("SUBQUERY(commits, $c, $c.message == 'message 1').@count > 1")
    #expect(try context.fetch(request).map(\.name) == ["Bob"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.13 a count is that of the fetch, within its window`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    _ = context.insertCommit("new", "message 0")
    let request = Commit.filter("message == 'message 0'")
    #expect(try context.count(for: request) == 4)
    #expect(try context.count(for: request.offset(1).limit(2)) == 2)
    #expect(try context.count(for: request.offset(9)) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.13 unsaved objects do not make a window or a count read all rows`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let request = Commit.all.sorted(by: \.sha, .reverse)
    let last = try #require(try context.first(request))
    last.message = "edited"
    let new = context.insertCommit("new")
    var before = bench.store.givenRows
    #expect(try context.first(request) === last)
    #expect(try context.fetch(request.offset(1).limit(2)).map(\.sha) == ["sha 98", "sha 97"])
    // One more each time, in place of the edited one.
    #expect(bench.store.givenRows - before == 2 + 4)

    before = bench.store.givenRows
    let counted = try bench.asked {
      let all = try context.count(for: request)
      let edited = try context.count(for: Commit.filter("message == 'edited'"))
      let window = try context.count(for: request.offset(99).limit(5))
      #expect(all == 101 && edited == 1 && window == 2)
    }
    #expect(counted == CountingStore.Counts(references: 3))
    #expect(bench.store.givenRows == before)

    // A new author may decide about every commit.
    _ = context.insertAuthor("Zoe")
    new.author = try context.first(Author.all)
    #expect(new.author != nil)
    #expect(try context.count(for: Commit.filter("author != nil")) == 101)
    let byAuthor = Commit.all.sorted(by: FetchSort("author.name")).sorted(by: \.sha).limit(3)
    var unlimited = byAuthor
    unlimited.fetchLimit = 0
    let sorted = try context.fetch(unlimited)
    #expect(try context.fetch(byAuthor) == Array(sorted.prefix(3)))
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.13 what a hook sets makes windows of its own entity read all rows, until a reset`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, classes: fixtureClasses + [Hooked.self])
    let writer = bench.context()
    for number in 0..<10 { Hooked(context: writer).count = number }
    try writer.save()
    let log = HookLog()
    log.onAwakeFromFetch = { $0.title = "set" }
    let context = bench.context()
    let byTitle = Hooked.all.sorted(by: FetchSort("title")).limit(1)
    /// How many rows a fetch with a limit reads while an object is unsaved.
    func rows(_ body: () throws -> Void) rethrows -> Int {
      let before = bench.store.givenRows
      try body()
      return bench.store.givenRows - before
    }
    let hooked = try Hooked.$box.withValue(Hooked.LogBox(log)) { try context.fetch(Hooked.all) }
    #expect(Set(hooked.map(\.title)) == ["set"] && !context.hasChanges)
    _ = context.insertCommit("new")
    _ = Hooked(context: context)
    let commits = try rows { _ = try context.first(Commit.all.sorted(by: \.sha, .reverse)) }
    #expect(commits == 1)
    let own = try rows { _ = try context.fetch(byTitle) }
    #expect(own == 10)
    context.reset()
    _ = Hooked(context: context)
    let anew = try rows { _ = try context.fetch(byTitle) }
    #expect(anew == 1)
  }
}
