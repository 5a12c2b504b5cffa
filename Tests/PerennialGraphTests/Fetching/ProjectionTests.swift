// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import RandomTesting
import Testing

@Suite("Values instead of objects")
struct ProjectionTests {
  /// A store with three commits of Ann, one of Bob and one of nobody.
  private func makeBench(_ kind: StoreKind) throws -> Bench {
    let bench = try Bench(kind)
    let context = bench.context()
    var authors: [String: Author] = [:]
    for name in ["Ann", "Bob"] {
      let author = Author(context: context)
      author.name = name
      authors[name] = author
    }
    for (place, name) in ["Ann", "Ann", "Bob", "Ann", ""].enumerated() {
      let commit = Commit(context: context)
      commit.sha = "\(place)"
      commit.message = place < 2 ? "same" : "other"
      commit.date = Date(timeIntervalSinceReferenceDate: Double(place))
      commit.size = place == 3 ? nil : Double(place) / 10
      commit.author = authors[name]
    }
    try context.save()
    return bench
  }

  private func code(_ request: FetchRequest<Commit>) throws -> PerennialError.Code? {
    let bench = try makeBench(.sqlite)
    let context = bench.context()
    return PerennialGraphTests.code { _ = try context.fetchDictionaries(request) }
  }

  // MARK: Result types

  @Test(arguments: StoreKind.allCases)
  func `1G.1 one request gives objects, IDs, dictionaries, tuples and a count`(
    _ kind: StoreKind
  ) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    let request = Commit.filter("message == 'same'").sorted(by: \.date, .reverse)
    let objects = try context.fetch(request)
    #expect(objects.map(\.sha) == ["1", "0"])
    #expect(try context.fetchObjectIDs(request) == objects.map(\.objectID))
    #expect(try context.count(for: request) == 2)
    let rows = try context.fetchDictionaries(request.fetching("sha", "author"))
    #expect(rows.map { $0["sha"] as? String } == ["1", "0"])
    let ann = try #require(objects[0].author?.objectID)
    #expect(rows.map { $0["author"] as? ManagedObjectID } == [ann, ann])
    let tuples = try context.fetch(request, \.sha, \.date)
    #expect(tuples.map(\.0) == ["1", "0"])
    #expect(tuples.map(\.1) == objects.map(\.date))
    #expect(try context.fetch(request, \.message) == ["same", "same"])
  }

  @Test(arguments: StoreKind.allCases, [["0", "1"], ["0"]])
  func `1G.1 tuples and objects that a list of values finds have columns of their own`(
    _ kind: StoreKind,
    _ shas: [String]
  ) throws {
    let bench = try makeBench(kind)
    let some = Commit.filter("sha IN \(shas)")
    for _ in 0..<2 {
      let messages: [String] = try bench.context().fetch(some, \.message)
      #expect(Set(messages) == ["same"])
      let objects = try bench.context().fetch(some)
      #expect(Set(objects.map(\.message)) == ["same"])
      #expect(objects.map(\.sha).sorted() == shas)
    }
    #expect(try bench.context().fetch(Commit.filter("sha == '2'")).map(\.message) == ["other"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.1 IDs and tuples count unsaved changes, dictionaries do not`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    let new = Commit(context: context)
    new.sha = "new"
    let changed = try #require(try context.first(Commit.filter("sha == '0'")))
    changed.message = "changed"
    let gone = try #require(try context.first(Commit.filter("sha == '4'")))
    context.delete(gone)
    let request = Commit.sorted(by: \.sha)
    #expect(try context.fetch(request, \.message) == ["changed", "same", "other", "other", ""])
    #expect(try context.fetchObjectIDs(request) == context.fetch(request).map(\.objectID))
    #expect(try context.fetchObjectIDs(request).contains(new.objectID))
    let rows = try context.fetchDictionaries(request.fetching("message"))
    #expect(rows.map { $0["message"] as? String } == ["same", "same", "other", "other", "other"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.1 a child's dictionaries have its parent's unsaved changes`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind)
    let parent = bench.context()
    let child = ManagedObjectContext(parent: parent)
    let bob = try #require(try parent.first(Author.filter("name == 'Bob'")))
    let new = Commit(context: parent)
    new.sha = "new"
    new.author = bob
    bob.name = "Rob"
    let count = ExpressionDescription("n", format: "count(sha)")
    let request = Commit.all.fetching("author.name", .expression(count)).grouped(by: "author.name")
      .having("author.name != nil").sorted(by: FetchSort("author.name"))
    let rows = comparable(try child.fetchDictionaries(request))
    #expect(
      rows
        == comparable([
          ["author.name": "Ann", "n": Int64(3)], ["author.name": "Rob", "n": Int64(2)],
        ])
    )
    let robs = Commit.filter("author.name == 'Rob'").sorted(by: \.sha)
    let shas = try child.fetch(robs, \.sha)
    #expect(shas == ["2", "new"])
    #expect(try child.fetch(Commit.filter("sha == '2'")).first?.message == "other")
  }

  // MARK: Properties

  @Test(arguments: StoreKind.allCases)
  func `1G.6 dictionaries have attributes, to-ones as IDs, key paths and expressions`(
    _ kind: StoreKind
  ) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    let length = ExpressionDescription("length", format: "length(message)")
    let upper = ExpressionDescription("upper", format: "uppercase(message)")
    let request = Commit.filter("sha IN {'3', '4'}").sorted(by: \.sha).fetching(
      "sha",
      "date",
      "size",
      "author",
      "author.name",
      "objectID",
      .expression(length),
      .expression(upper)
    )
    let rows = try context.fetchDictionaries(request)
    let commits = try context.fetch(Commit.filter("sha IN {'3', '4'}").sorted(by: \.sha))
    #expect(rows.count == 2)
    #expect(
      Set(rows[0].keys) == ["sha", "date", "author", "author.name", "objectID", "length", "upper"]
    )
    #expect(Set(rows[1].keys) == ["sha", "date", "size", "objectID", "length", "upper"])
    #expect(rows[0]["author"] as? ManagedObjectID == commits[0].author?.objectID)
    #expect(rows.map { $0["objectID"] as? ManagedObjectID } == commits.map(\.objectID))
    #expect(rows[1]["size"] as? Double == 0.4)
    #expect(rows[0]["date"] as? Date == commits[0].date)
    #expect(rows[0]["length"] as? Int64 == 5)
    #expect(rows[0]["upper"] as? String == "OTHER")
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.6 without names, dictionaries have all stored attributes`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind)
    let rows = try bench.context().fetchDictionaries(Commit.filter("sha == '0'"))
    #expect(
      rows.map { Set($0.keys) } == [["sha", "message", "url", "date", "kind", "size"]]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.6 IDs of a relationship to an entity with subentities name the concrete one`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    for badge in [Badge(context: context), GoldBadge(context: context)] {
      Team(context: context).badge = badge
    }
    try context.save()
    let rows = try bench.context().fetchDictionaries(
      Team.all.fetching("badge").grouped(by: "badge")
    )
    let names = rows.compactMap { ($0["badge"] as? ManagedObjectID)?.entityName }
    #expect(names.sorted() == ["Badge", "GoldBadge"])
    let ids = try bench.context().fetchDictionaries(Badge.all.fetching("objectID"))
    #expect(
      Set(ids.compactMap { ($0["objectID"] as? ManagedObjectID)?.entityName })
        == ["Badge", "GoldBadge"]
    )
  }

  // MARK: Groups and aggregates

  @Test(arguments: StoreKind.allCases)
  func `1G.8 groups have a count, a condition, an order and a window`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind)
    let count = ExpressionDescription("n", format: "count(sha)")
    let request = Commit.all.fetching("author.name", .expression(count)).grouped(by: "author.name")
      .sorted(by: FetchSort("n", ascending: false))
    let context = bench.context()
    func names(_ request: FetchRequest<Commit>) throws -> [String?] {
      try context.fetchDictionaries(request).map { $0["author.name"] as? String }
    }
    #expect(try names(request) == ["Ann", nil, "Bob"])
    #expect(try names(request.offset(1).limit(1)) == [nil])
    #expect(try names(request.having("n > 1")) == ["Ann"])
    #expect(try names(request.having("$n == 1")) == [nil, "Bob"])
    #expect(try names(request.having("count(sha) == 1 AND author.name != nil")) == ["Bob"])
    #expect(
      try names(
        request.having("max(length(message)) - min(length(message)) == 1 OR sum(#size) > 0.3")
      ) == ["Ann", nil]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.10 aggregates leave absent values out, and of none they are 0 or absent`(
    _ kind: StoreKind
  ) throws {
    let bench = try makeBench(kind)
    let formats: [(String, StaticString)] = [
      ("count", "count(#size)"), ("sum", "sum(#size)"), ("least", "min(#size)"),
      ("mean", "average(#size)"), ("newest", "max(date)"), ("text", "max(message)"),
    ]
    var request = Commit.all
    request.propertiesToFetch = formats.map { .expression(ExpressionDescription($0, format: $1)) }
    let all = try #require(try bench.context().fetchDictionaries(request).first)
    #expect(all["count"] as? Int64 == 4)
    #expect(abs(try #require(all["sum"] as? Double) - 0.7) < 1e-12)
    #expect(abs(try #require(all["mean"] as? Double) - 0.175) < 1e-12)
    #expect(all["least"] as? Double == 0)
    #expect(all["newest"] as? Date == Date(timeIntervalSinceReferenceDate: 4))
    #expect(all["text"] as? String == "same")
    request.predicate = "sha == 'none'"
    let none = comparable(try bench.context().fetchDictionaries(request))
    #expect(none == comparable([["count": Int64(0), "sum": Int64(0)]]))
    request.propertiesToGroupBy = ["author"]
    #expect(try bench.context().fetchDictionaries(request).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.10 numbers are converted to the type that is asked for`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind)
    let request = Commit.all.fetching(
      .expression(ExpressionDescription("n", format: "count(sha)", resultType: .double)),
      .expression(ExpressionDescription("newest", format: "max(date)")),
      .expression(ExpressionDescription("decimal", format: "count(sha)", resultType: .decimal))
    )
    let row = try #require(try bench.context().fetchDictionaries(request).first)
    #expect(row["n"] as? Double == 5)
    #expect(row["decimal"] as? Decimal == 5)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.10 a sum that does not fit is an error, one that does is exact in any order`(
    _ kind: StoreKind
  ) throws {
    var sales: [Sale] = []
    for big in [Int64.max, 1, -2] {
      var generator = SeededGenerator(seed: 1)
      var sale = Sale.random(&generator)
      sale.big = big
      sales.append(sale)
    }
    let sum = PropertyToFetch.expression(ExpressionDescription("sum", format: "sum(big)"))
    let whole = try SaleStore(kind, sales)
    let rows = try whole.bench.context().fetchDictionaries(whole.sales.fetching(sum))
    #expect(rows.first?["sum"] as? Int64 == Int64.max - 1)
    let part = try SaleStore(kind, Array(sales.prefix(2)))
    #expect(
      PerennialGraphTests.code {
        _ = try part.bench.context().fetchDictionaries(part.sales.fetching(sum))
      } == .predicateEvaluation
    )
  }

  // MARK: Windows

  @Test(arguments: StoreKind.allCases)
  func `1G.3 the window is cut out of the result with unsaved changes`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    let first = try #require(try context.first(Commit.filter("sha == '0'")))
    context.delete(first)
    let new = Commit(context: context)
    new.sha = "25"
    let request = Commit.sorted(by: \.sha)
    #expect(try context.fetch(request.offset(1).limit(2)).map(\.sha) == ["2", "25"])
    #expect(try context.fetch(request.offset(1).limit(2), \.sha) == ["2", "25"])
    #expect(try context.count(for: request.offset(3).limit(9)) == 2)
    #expect(try context.fetchObjectIDs(request.offset(2).limit(1)) == [new.objectID])
  }

  // MARK: Bad input

  private static var clashes: [FetchRequest<Commit>] {
    [
      Commit.all.fetching("sha").having("sha == 'a'"),
      Commit.all.fetching("sha", "message").grouped(by: "sha"),
      Commit.all.fetching("sha", .expression(ExpressionDescription("n", format: "count(sha)"))),
      Commit.all.fetching("sha").grouped(by: "sha").having("message == 'a'"),
      Commit.all.fetching("sha").grouped(by: "sha").sorted(by: FetchSort("message")),
      Commit.all.fetching("sha").distinct().sorted(by: FetchSort("message")),
      Commit.all.fetching("author.commits"),
      Commit.all.fetching("author.commits.sha"),
      Commit.all.fetching("sha").grouped(by: "author.commits"),
      Commit.all.fetching("sha", "sha"),
      Commit.all.limit(-1),
      Commit.all.offset(-1),
    ]
  }

  @Test(arguments: 0..<12)
  func `1G.8 what does not go together is a typed error`(_ place: Int) throws {
    #expect(try code(Self.clashes[place]) == .invalidRequest)
  }

  @Test func `1G.6 unknown names are typed errors`() throws {
    let bad = ExpressionDescription("n", format: "count(shaa)")
    #expect(try code(Commit.all.fetching("shaa")) == .unknownName)
    #expect(try code(Commit.all.fetching(.expression(bad))) == .unknownName)
    #expect(try code(Commit.all.grouped(by: "shaa")) == .unknownName)
    #expect(try code(Commit.all.fetching("scratch")) == .unknownName)
    #expect(try code(Commit.all.fetching("sha").sorted(by: FetchSort("n"))) == .unknownName)
    let format = ExpressionDescription("n", format: "count(")
    #expect(try code(Commit.all.fetching(.expression(format))) == .predicateFormat)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.7 objects refuse what only dictionaries have`(_ kind: StoreKind) throws {
    let bench = try makeBench(kind)
    let context = bench.context()
    for request in [Commit.all.distinct(), Commit.all.grouped(by: "sha"), Commit.all.limit(-1)] {
      #expect(PerennialGraphTests.code { _ = try context.fetch(request) } == .invalidRequest)
      #expect(PerennialGraphTests.code { _ = try context.count(for: request) } == .invalidRequest)
      #expect(PerennialGraphTests.code { _ = try context.fetch(request, \.sha) } == .invalidRequest)
    }
    #expect(try context.fetch(Commit.all.fetching("sha")).count == 5)
  }

  // MARK: SQL

  @Test(arguments: StoreKind.allCases)
  func `1G.8 an explanation tells the statement of groups, or what memory does`(
    _ kind: StoreKind
  ) throws {
    let bench = try makeBench(kind)
    let count = PropertyToFetch.expression(ExpressionDescription("n", format: "count(SELF)"))
    let request = Commit.all.fetching("author", count).grouped(by: "author").having("n > 1")
    let explanation = try bench.context().explain(request.sorted(by: FetchSort("n")))
    if kind == .sqlite || kind == .postgres {
      #expect(explanation.sql.contains("GROUP BY"))
      #expect(!explanation.plan.isEmpty)
      #expect(explanation.inMemory.isEmpty)
    } else {
      #expect(explanation.sql.isEmpty)
      #expect(explanation.inMemory.first == "values: author, n")
      #expect(explanation.inMemory.last == "sort: n ascending")
    }
  }

  @Test func `1G.8 groups by a to-one are one statement of SQL`() throws {
    let bench = try makeBench(.sqlite)
    let context = bench.context()
    let count = PropertyToFetch.expression(ExpressionDescription("n", format: "count(SELF)"))
    let sum = PropertyToFetch.expression(ExpressionDescription("s", format: "sum(#size)"))
    let request = Commit.all.fetching("author", count).grouped(by: "author").having("n > 1")
    #expect(try context.fetchDictionaries(request.requireSQL()).count == 1)
    #expect(
      PerennialGraphTests.code {
        _ = try context.fetchDictionaries(request.fetching(sum).requireSQL())
      } == .requiresMemory
    )
  }
}
