// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

@Suite("Computed values instead of objects")
struct ProjectedExpressionTests {
  /// Three commits, of sizes 1, 2 and 3; the first is Ann's, and two have the same message.
  private func context(_ kind: StoreKind) throws -> (Bench, ManagedObjectContext) {
    let bench = try Bench(kind)
    let context = bench.context()
    let ann = Author(context: context)
    ann.name = "Ann"
    for (place, message) in ["same", "same", "other"].enumerated() {
      let commit = Commit(context: context)
      commit.sha = "\(place)"
      commit.message = message
      commit.size = Double(place + 1)
      commit.author = place == 0 ? ann : nil
    }
    try context.save()
    return (bench, context)
  }

  private func computed(
    _ format: StaticString,
    as type: AttributeType = .undefined
  ) -> PropertyToFetch {
    .expression(ExpressionDescription("value", format: format, resultType: type))
  }

  /// A value of every commit, in the order of their sizes.
  private func values(
    _ value: PropertyToFetch,
    _ context: ManagedObjectContext
  ) throws -> [(any Sendable)?] {
    let request = Commit.all.fetching(value).sorted(by: FetchSort("size"))
    return try context.fetchDictionaries(request).map { $0["value"] ?? nil }
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.7 constants, casts, conditions and collections give a value for each row`(
    _ kind: StoreKind
  ) throws {
    let (bench, context) = try context(kind)
    defer { withExtendedLifetime(bench) {} }
    func texts(_ format: StaticString) throws -> [String?] {
      try values(computed(format), context).map { $0 as? String }
    }
    #expect(try texts("'x'") == ["x", "x", "x"])
    #expect(try texts("noindex:(message)") == ["same", "same", "other"])
    #expect(try texts("CAST(message, 'NSString')") == ["same", "same", "other"])
    #expect(try texts("TERNARY(#size > 1.5, message, 'small')") == ["small", "same", "other"])
    #expect(try texts("author.name") == ["Ann", nil, nil])
    let counts = try values(
      computed("SUBQUERY(author.commits, $x, $x.#size < 2).@count", as: .int64),
      context
    )
    #expect(counts.map { $0 as? Int64 } == [1, 0, 0])
    #expect(try values(computed("1", as: .int64), context).map { $0 as? Int64 } == [1, 1, 1])
    #expect(try values(computed("1.5"), context).map { $0 as? Double } == [1.5, 1.5, 1.5])
    let ids = try context.fetchObjectIDs(Commit.all.sorted(by: FetchSort("size")))
    #expect(try values(computed("SELF"), context).map { $0 as? ManagedObjectID } == ids)
    let authors = try values(computed("author"), context).map { $0 as? ManagedObjectID }
    #expect(authors.map { $0 == nil } == [false, true, true])
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.8 what is computed of what groups have in common is a value of the group`(
    _ kind: StoreKind
  ) throws {
    let (bench, context) = try context(kind)
    defer { withExtendedLifetime(bench) {} }
    let formats: [(StaticString, [String])] = [
      ("TERNARY(message == 'same', 'two', 'one')", ["one", "two"]),
      ("CAST(message, 'NSString')", ["other", "same"]), ("uppercase(message)", ["OTHER", "SAME"]),
      ("TERNARY(count(sha) > 1, 'many', 'few')", ["few", "many"]),
    ]
    for (format, expected) in formats {
      let request = Commit.all.fetching("message", computed(format)).grouped(by: "message")
        .sorted(by: FetchSort("message"))
      let rows = try context.fetchDictionaries(request)
      #expect(rows.map { $0["value"] as? String } == expected, "\(format)")
    }
    let groups = try context.fetchDictionaries(
      Commit.all.grouped(by: "message").sorted(by: FetchSort("message"))
    )
    #expect(groups.map { Array($0.keys) } == [["message"], ["message"]])
    #expect(groups.map { $0["message"] as? String } == ["other", "same"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.8 groups by a computed value, and sorts by one`(_ kind: StoreKind) throws {
    let (bench, context) = try context(kind)
    defer { withExtendedLifetime(bench) {} }
    let count = PropertyToFetch.expression(ExpressionDescription("n", format: "count(sha)"))
    let request = Commit.all.fetching(computed("uppercase(message)"), count)
      .grouped(by: "value").sorted(by: FetchSort("value", ascending: false))
    let rows = try context.fetchDictionaries(request)
    #expect(rows.map { $0["value"] as? String } == ["SAME", "OTHER"])
    #expect(rows.map { $0["n"] as? Int64 } == [2, 1])
  }

  private static var refused: [(FetchRequest<Commit>, PerennialError.Code, String)] {
    func value(_ format: StaticString) -> PropertyToFetch {
      .expression(ExpressionDescription("value", format: format))
    }
    return [
      (Commit.all.fetching(value("author.commits.sha")), .invalidRequest, "to-many"),
      (Commit.all.fetching(value("1"), value("2")), .invalidRequest, "Two values"),
      (Commit.all.fetching(value("1"), "value"), .invalidRequest, "fetched twice"),
      (
        Commit.all.fetching(value("count(sha)")).grouped(by: "value"), .invalidRequest,
        "computed of a whole group"
      ),
      (
        Commit.all.fetching("message", value("TERNARY(#size > 1, 1, 2)")).grouped(by: "message"),
        .invalidRequest, "'size'"
      ),
      (
        Commit.all.fetching("message", value("CAST(sha, 'NSString')")).grouped(by: "message"),
        .invalidRequest, "'sha'"
      ),
      (
        Commit.all.fetching("message", value("SUBQUERY(author.commits, $x, $x.#size > 1).@count"))
          .grouped(by: "message"), .invalidRequest, "'author.commits'"
      ),
      (
        Commit.all.fetching("message", value("author.commits.@count")).grouped(by: "message"),
        .invalidRequest, "'author.commits'"
      ),
      (Commit.all.fetching("author").sorted(by: FetchSort("author")), .unknownName, "author"),
      (Commit.all.fetching("sha").sorted(by: FetchSort("author")), .unknownName, "author"),
      (Commit.all.fetching(value("{1, 2}")), .typeMismatch, "is a list"),
    ]
  }

  @Test(arguments: 0..<11)
  func `1G.8 what gives no single value is a typed error`(_ place: Int) throws {
    let (request, code, words) = Self.refused[place]
    let (bench, context) = try context(.inMemory)
    defer { withExtendedLifetime(bench) {} }
    let error = #expect(throws: PerennialError.self) { _ = try context.fetchDictionaries(request) }
    #expect(error?.code == code)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }
}
