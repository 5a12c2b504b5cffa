// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Requests that require SQL")
struct RequireSQLTests {
  private let twins: PredicateTwins

  init() throws { twins = try PredicateTwins() }

  /// A predicate, the part of it that is in the way, and words of the reason and the cure.
  struct Refusal: Sendable, CustomTestStringConvertible {
    var format: String
    var part: String
    var words: [String]

    init(_ format: String, _ part: String, _ words: String...) {
      self.format = format
      self.part = part
      self.words = words
    }

    var testDescription: String { format }
  }

  static let refusals = [
    Refusal("age + 1 > 5", "age + %@", "'add:to:'", "derived"),
    Refusal("name == 'Ada' AND age + 1 > 5", "age + %@", "'add:to:'"),
    Refusal("name == 'Ada' OR NOT (flag == 1 AND sqrt(score) > 5)", "sqrt(score)", "'sqrt'"),
    Refusal("uppercase(name) == 'ADA'", "uppercase(name)", "'uppercase'", "attribute"),
    Refusal("random() > age", "random()", "before the fetch"),
    Refusal("CAST(age, 'NSString') == '10'", "CAST(age, \"NSString\")", "constant"),
    Refusal("posts.bytes == 3", "posts.bytes", "to-many relationship 'posts'", "ANY"),
    Refusal("boss.reports.age > 3", "boss.reports.age", "to-many relationship 'reports'", "ANY"),
    Refusal("posts[FIRST].bytes == 3", "posts[FIRST]", "place", "ANY"),
    Refusal("posts[SIZE] == 3", "posts[SIZE]", "place"),
    Refusal("reports.@sum.score > 3", "reports.@sum.score", "added up", "derived"),
    Refusal("median(reports.age) > 3", "median(reports.age)", "'median'"),
    Refusal("site.absoluteString == 'x'", "site.absoluteString", "'absoluteString'"),
    Refusal("name == $WORD", "$WORD", "withSubstitutionVariables"),
    Refusal("name MATCHES '('", "name MATCHES %@", "regular expression"),
    Refusal("photo BEGINSWITH name", "photo BEGINSWITH name", "stored attribute"),
    Refusal(
      "SUBQUERY(posts, $p, $p.bytes * 2 > 4).@count > 0",
      "$p.bytes * %@",
      "'multiply:by:'"
    ),
    Refusal("ANY posts.tags.name == 'x' AND ANY posts.bytes + 1 > 2", "posts.bytes + %@", "'add"),
    Refusal("TERNARY(age + 1 > 2, name, 'x') == 'Ada'", "age + %@", "'add:to:'"),
    Refusal("age IN {1, score + 1}", "score + %@", "'add:to:'"),
    Refusal("age BETWEEN {1, 2, 3}", "age BETWEEN {%@, %@, %@}", "two values"),
    Refusal("TERNARY(flag == 1, age + 1, 2) == 3", "age + %@", "'add:to:'"),
    Refusal("TERNARY(flag == 1, 2, age + 1) == 3", "age + %@", "'add:to:'"),
    Refusal("sqrt(age + 1) > 2", "age + %@", "'add:to:'"),
    Refusal("FALSEPREDICATE OR (name == 'Ada' AND age == 1) OR age + 1 > 5", "age + %@", "'add"),
    Refusal("SUBQUERY(boss.wings, $w, $w.age == 1).@count > 0", "boss.wings", "no single column"),
    Refusal(
      "SUBQUERY(posts.tags, $t, $t.name == 'Ada').@count > 0",
      "SUBQUERY(posts.tags, $t, $t.name == %@).@count",
      "neither a to-many"
    ),
    Refusal("reports.@max.site.host > 'x'", "site.host", "its 'host'"),
    Refusal("reports.@sum.wings > 3", "wings", "no single column"),
    Refusal("(posts.@max.title).length > 1", "(posts.@max.title).length", "computed value"),
    Refusal("objectID.wings == 1", "objectID.wings", "no single column"),
    Refusal("wings == 1", "wings", "no single column"),
    Refusal("ANY posts.title MATCHES '('", "ANY posts.title MATCHES %@", "regular expression"),
    Refusal("ANY posts.bytes.length > 1", "posts.bytes.length", "its 'length'"),
    Refusal("ANY posts.title.length == {1}", "ANY posts.title.length == {%@}", "elements"),
    Refusal("5 IN age", "%@ IN age", "where SQL cannot"),
    Refusal("ANY boss.name == 'Ada'", "ANY boss.name == %@", "elements"),
    Refusal("ANY posts.bytes == {1}", "ANY posts.bytes == {%@}", "elements"),
  ]

  @Test(arguments: refusals)
  func `a part that only memory can evaluate is named, with a cure and without values`(
    _ refusal: Refusal
  ) throws {
    let query = twins.query("Author", try FetchPredicate(parsing: refusal.format))
    let error = try #require(throws: PerennialError.self) { try twins.sqlite.checkForSQL(query) }
    #expect(error.code == .requiresMemory)
    #expect(error.entity == "Author")
    #expect(error.message.contains("'\(refusal.part)'"), "\(error)")
    for word in refusal.words { #expect(error.description.contains(word), "\(error)") }
    #expect(!error.description.contains("Ada"))
  }

  @Test(arguments: [
    "name == 'Ada'", "name CONTAINS[cd] 'a' AND NONE posts.title LIKE 'a*'", "TRUEPREDICATE",
    "SUBQUERY(posts, $p, ANY $p.tags.name == 'x').@count > 1", "age IN {1, nil, 2}", "1 + 1 == 2",
    "TERNARY(age > 1, name, 'x') BEGINSWITH 'A'", "age & 3 == 1", "reports.@sum.age > 3",
  ])
  func `what SQL can say is not refused`(_ format: String) throws {
    var query = twins.query("Author", try FetchPredicate(parsing: format))
    query.sorts = [FetchSort("boss.name", ascending: false), FetchSort("age")]
    #expect(throws: Never.self) { try twins.sqlite.checkForSQL(query) }
  }

  @Test func `every obstacle has its place in the predicate`() throws {
    // Whatever is not translated whole is refused by naming something of it.
    var writer = PredicateWriter(seed: 12)
    var refused = 0
    for _ in 0..<300 {
      let predicate = try FetchPredicate(parsing: writer.predicate("Author", depth: 2))
      let query = twins.query("Author", predicate)
      if try twins.condition("Author", predicate).residual == nil {
        #expect(throws: Never.self) { try twins.sqlite.checkForSQL(query) }
      } else {
        refused += 1
        let error = #expect(throws: PerennialError.self) { try twins.sqlite.checkForSQL(query) }
        let names = error?.message.contains(" requires SQL, but '") == true
        #expect(names || error?.message.contains("nested too deeply") == true, "\(predicate)")
      }
    }
    #expect(refused > 10)
  }

  @Test func `a predicate too long for a statement is refused as such`() throws {
    let names = (0..<40_000).map { "'n\($0)'" }.joined(separator: ",")
    let query = twins.query("Author", try FetchPredicate(parsing: "name IN {\(names)}"))
    let error = try #require(throws: PerennialError.self) { try twins.sqlite.checkForSQL(query) }
    #expect(error.message.contains("too long"))
  }

  @Test func `a sort that is no column is named`() throws {
    var query = StoreQuery(entity: twins.model.index("Author"))
    query.sorts = [FetchSort("name"), FetchSort("posts.title")]
    let error = try #require(throws: PerennialError.self) { try twins.sqlite.checkForSQL(query) }
    #expect(error.message.contains("'posts.title'"))
  }

  @Test func `the store in memory refuses nothing`() throws {
    let query = twins.query("Author", try FetchPredicate(parsing: "age + 1 > 5"))
    #expect(throws: Never.self) { try twins.memory.checkForSQL(query) }
  }
}
