// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Predicates in SQL")
struct PredicateSQLTests {
  private let twins: PredicateTwins

  init() throws { twins = try PredicateTwins() }

  @Test(arguments: [
    ("name == 'Ada'", "t0.ZNAME IS ?"),
    ("name != nil", "t0.ZNAME IS NOT NULL"),
    ("NOT name == 'Ada'", "t0.ZNAME IS NOT ?"),
    ("age < 5 AND 3 <= age", "t0.ZAGE < ? AND t0.ZAGE >= ?"),
    ("NOT age < 5", "(t0.ZAGE < ?) IS NOT TRUE"),
    ("age <= nil", "t0.ZAGE IS NULL"),
    ("age IN {1, nil, 2, 3}", "(t0.ZAGE IN (?, ?, ?, ?) OR t0.ZAGE IS NULL)"),
    ("name BEGINSWITH 'Ad'", "(t0.ZNAME >= ? AND t0.ZNAME < ?)"),
    ("name BEGINSWITH ''", "0"),
    ("name CONTAINS 'd'", "instr(t0.ZNAME, ?) > 0"),
    ("name CONTAINS[cd] 'd'", "pn_contains(t0.ZNAME, ?, 3)"),
    ("name LIKE 'A*'", "(t0.ZNAME >= ? AND t0.ZNAME < ?)"),
    ("name LIKE 'A*a'", "((t0.ZNAME >= ? AND t0.ZNAME < ?) AND pn_like(t0.ZNAME, ?, 0))"),
    ("name MATCHES 'A.*'", "pn_matches(t0.ZNAME, ?, 0)"),
    ("name == 5", "0"),
    ("name.length > 2", "pn_length(t0.ZNAME, '', 0) > ?"),
    ("age & 3 == 1", "(t0.ZAGE & ?) IS ?"),
    ("age ^ age == 1", "((t0.ZAGE | t0.ZAGE) - (t0.ZAGE & t0.ZAGE)) IS ?"),
    (
      "TERNARY(age > 1, name, 'x') == 'Ada'",
      "(CASE WHEN t0.ZAGE > ? THEN t0.ZNAME IS ? ELSE 0 END)"
    ),
    (
      "NOT TERNARY(age > 1, name, 'Ada').length > 1",
      "(CASE WHEN t0.ZAGE > ? THEN (pn_length(t0.ZNAME, '', 0) > ?) IS NOT TRUE ELSE 0 END)"
    ),
    ("reports.@count == 0", "NOT EXISTS (SELECT 1 FROM ZAUTHOR AS t1 WHERE t1.ZBOSS = t0.Z_PK)"),
    ("posts.@count > 2", "(SELECT COUNT(*) FROM ZPOST AS t1 WHERE t1.ZAUTHOR = t0.Z_PK) > ?"),
    (
      "boss.name == 'Ada'",
      "t0.ZBOSS IN (SELECT t1.Z_PK FROM ZAUTHOR AS t1 WHERE t1.ZNAME IS ?)"
    ),
    (
      "boss.name != 'Ada'",
      "(t0.ZBOSS IN (SELECT t1.Z_PK FROM ZAUTHOR AS t1 WHERE t1.ZNAME IS ?)) IS NOT TRUE"
    ),
    (
      "ANY posts.title == 'x'",
      "EXISTS (SELECT 1 FROM ZPOST AS t1 WHERE t1.ZAUTHOR = t0.Z_PK AND t1.ZTITLE IS ?)"
    ),
    (
      "ALL posts.bytes > 1",
      "NOT EXISTS (SELECT 1 FROM ZPOST AS t1 WHERE t1.ZAUTHOR = t0.Z_PK AND (t1.ZBYTES > ?) IS NOT TRUE)"
    ),
  ])
  func `a predicate is written as SQL`(_ format: String, _ sql: String) throws {
    let condition = try twins.condition("Author", FetchPredicate(parsing: format))
    #expect(condition.sql == sql)
    #expect(condition.residual == nil)
    #expect(condition.bindings.count == sql.count { $0 == "?" })
  }

  @Test(arguments: [
    "age + 1 > 5", "uppercase(name) == 'ADA'", "posts == nil", "photo.length > 2",
    "posts.@sum.bytes / 2 > 1", "name MATCHES '['", "random() > 2", "score & 1 > 0",
    "TERNARY(age > 1, 1, 2) == TERNARY(age > 2, 1, 2)", "TERNARY(age + 1 > 1, 1, 2) == 1",
    "age BETWEEN {1}", "5 IN age", "noindex:(uppercase(name)) == 'ADA'",
    "age ^ age ^ age ^ age ^ age == 0", "ANY name == 'Ada'", "name.length.length == 1",
    "photo LIKE name", "posts == {}", "uppercase(name) BEGINSWITH name",
  ])
  func `what SQL cannot say is left to memory`(_ format: String) throws {
    let predicate = try FetchPredicate(parsing: format)
    let both = FetchPredicate(format: "flag == YES") && predicate
    let condition = try twins.condition("Author", both)
    #expect(condition.residual == predicate)
    #expect(condition.sql == "t0.ZFLAG IS ?")
    var query = StoreQuery(entity: twins.model.index("Author"))
    query.predicate = both
    #expect(try twins.sqlite.explain(query).inMemory == ["filter: \(predicate)"])
  }

  /// Both stores give the same rows; at most the listed entity's conditions may be left over.
  @Test(arguments: [
    "name == 'Zé'", "name ==[c] 'ADA'", "name ==[cd] 'EMILE'", "name !=[cd] 'emile'",
    "name <[c] 'b'",
    "name >= 'a'", "name < 'b'", "name ENDSWITH 'a'", "name ENDSWITH[c] 'A'", "name == 'a\\x00b'",
    "name CONTAINS 'b'", "name LIKE 'a\\\\*b'", "name LIKE '?'", "name LIKE '??'", "name LIKE '*'",
    "name LIKE nil", "name.length == 4", "boss.name.length >= 3", "age & 2 == 2", "age | 1 > 10",
    "age ^ 10 == 0", "flag ^ 1 == 1", "TERNARY(age > 10, name, boss.name) BEGINSWITH[c] 'a'",
    "'Ada' == TERNARY(flag == YES, name, nil)", "NOT TERNARY(name == nil, 'x', name).length > 3",
    "ANY posts.title == TERNARY(age > 10, 'Ada', 'Bob')",
    "name LIKE[c] 'A*'", "name LIKE[c] '?'", "name LIKE[cd] '??'", "name LIKE '*\\x00*'",
    "name IN 'xAdamx'", "'d' IN name",
    "name CONTAINS ''", "name IN {'Ada', 'Bob', nil}", "NOT name IN {'Ada', nil}", "NOT name IN {}",
    "name IN[c] {'ADA', 'BOB'}", "name BETWEEN {'A', 'C'}", "name MATCHES[c] 'a.*'", "name == name",
    "name == boss.name", "name != boss.name", "name <= boss.name", "name CONTAINS[c] boss.name",
    "name BEGINSWITH boss.name", "age == 10.0", "age > 9.5", "age == TRUE", "flag == 1",
    "flag == NO",
    "flag != YES", "score == 1", "score > 1", "score == 0", "score < age", "age <= age",
    "rate == 0.1", "rate < 1", "rate == CAST('2.5', 'NSDecimalNumber')", "rate > score",
    "born == nil",
    "born > CAST(1, 'NSDate')", "born == CAST(0.5, 'NSDate')", "born <= now()",
    "uid == CAST('01010203-0405-0607-0809-0A0B0C0D0E0F', 'NSUUID')", "uid < uid", "uid <= uid",
    "site == CAST('https://e.org/1', 'NSURL')", "site == 'https://e.org/1'",
    "photo == CAST('AQ==', 'NSData')",
    "photo != nil", "name == age", "name != age", "name == nil AND age == nil", "boss == nil",
    "boss.boss.name == nil", "boss.boss.name == 'Ada'", "boss.boss.name != 'Ada'",
    "NOT boss.name == nil",
    "boss.age > 10 OR boss.age == nil", "boss == SELF", "boss != SELF", "boss.boss == SELF",
    "boss.boss == boss", "ANY reports == SELF", "SELF IN reports", "boss IN reports",
    "reports CONTAINS boss",
    "ANY reports.name == nil", "ALL reports.name == nil", "NONE reports.name == nil",
    "ANY reports.boss.name == name", "ANY reports.age > age", "ALL reports.age >= age",
    "ANY reports.reports.name == 'Ada'", "ANY reports.boss.reports.name == nil",
    "ANY boss.reports.age > 10",
    "ALL boss.reports.age > 10", "NONE boss.reports.age > 10", "ANY posts.tags.name BEGINSWITH 'E'",
    "ALL posts.tags.name != 'Bob'", "NONE posts.tags.name == 'Bob'",
    "ANY posts.author.name == name",
    "boss.reports.@count == 0", "boss.reports.@count > 1", "boss.reports.@count == nil",
    "reports.@count >= 2", "reports.@count == posts.@count", "0 < posts.@count",
    "posts.@sum.bytes > 3", "posts.@sum.bytes == 0", "posts.@avg.bytes > 1.5",
    "posts.@avg.bytes == nil",
    "posts.@max.bytes == 6", "posts.@min.title < 'b'", "posts.@max.bytes == nil",
    "reports.@sum.score > 1",
    "reports.@max.born > CAST(1, 'NSDate')",
    "SUBQUERY(posts, $p, $p.bytes > 2 AND $p.title == 'Ada').@count > 0",
    "SUBQUERY(posts, $p, $p.bytes > 2).@count == 2",
    "SUBQUERY(reports, $r, $r.age > SELF.age).@count > 0",
    "SUBQUERY(posts, $p, ANY $p.tags.name == 'Bob').@count == 0",
    "SUBQUERY(posts, $p, SUBQUERY($p.tags, $t, $t.name == 'ada').@count > 0 AND $p.author.name == SELF.name).@count > 0",
    "noindex:(name) == 'Ada'", "age + 1 > 20", "name.length == 3", "uppercase(name) == 'ADA'",
    "TERNARY(name == nil, 'x', name) == 'x'", "age * 2 == 20 AND name != nil AND boss != nil",
    "posts == nil", "posts.title == 'x'", "objectID == nil", "SELF != nil", "name > age",
    "name BETWEEN {nil, 'b'}",
    "age BETWEEN {10, 20}", "NOT age BETWEEN {10, 20}", "age BETWEEN {score, 20}",
    "NOT (age < 10 OR NOT name == 'Ada')",
  ])
  func `both stores select the same rows`(_ format: String) throws {
    let query = twins.query("Author", try FetchPredicate(parsing: format))
    let sql = try twins.condition("Author", FetchPredicate(parsing: format)).sql
    let expected = PredicateTwins.answer(twins.memory, query)
    #expect(!expected.hasPrefix("error"))
    #expect(PredicateTwins.answer(twins.sqlite, query) == expected, "\(format) as \(sql)")
  }

  @Test(arguments: [
    "nil BEGINSWITH name", "nil LIKE name", "name BEGINSWITH nil", "name MATCHES nil",
    "'Adam' BEGINSWITH name", "'Adam' ENDSWITH[c] name", "'Ada' LIKE name", "'Ada' MATCHES name",
    "5 LIKE name", "5 BEGINSWITH name", "name BEGINSWITH 5", "name LIKE age", "age BEGINSWITH name",
    "age MATCHES '1.'", "age MATCHES '['", "age BEGINSWITH '1'", "age LIKE '*'", "born LIKE '*'",
    "flag ENDSWITH '1'", "uid MATCHES '.*'", "photo BEGINSWITH 'a'", "photo LIKE 5", "name LIKE 5",
    "'Ada' BEGINSWITH 'A'", "'Ada' LIKE 'B*'", "'Ada' MATCHES 'A.*' AND age > 1", "1 == 1", "1 > 2",
    "name == {'Ada', 'Bob'}[0]", "name == {'Ada', 'Bob'}[LAST]", "age == {10, 20}[SIZE]",
    "name == {'Ada', 'Bob'}[5]", "name IN {{'Ada'}, 'Bob'}", "{1, 2} == age", "name == {}",
    "age & TRUE == 0", "age | FALSE == 10", "TRUE & age == 0", "flag & TRUE == 1",
    "score == CAST('nan', 'NSNumber')", "score < 9e300", "score >= -9e300", "score != 9e300",
    "rate == 9e300", "age == 9e300", "age < 1e300", "age == 99999999999",
    "uid IN {CAST('01010203-0405-0607-0809-0A0B0C0D0E0F', 'NSUUID'), nil}", "uid == 'x'",
    "photo IN {CAST('AQ==', 'NSData'), nil}", "photo == 1", "born IN {1, 2}", "born == 'x'",
    "site IN {CAST('https://e.org/1', 'NSURL')}", "age IN {'x', 10, TRUE}", "age IN 5",
    "age IN nil",
    "TERNARY(1 == 1, age, 2) == 10", "TERNARY(name == 'Ada', nil, age) == nil",
    "TERNARY(age > 10, flag, NO) == YES", "TERNARY(flag == YES, boss, SELF) == SELF",
    "TERNARY(age > 10, {1, 2}, {3}) == 1", "NOT TERNARY(age > 10, 1, 'x') == 1",
    "boss == 5", "boss == 'x'", "boss > nil", "boss < SELF", "boss IN {}", "boss IN {nil}",
    "SELF IN {nil}", "SELF BETWEEN {1, 2}", "boss BEGINSWITH 'x'", "boss.reports == nil",
    "ANY reports == nil", "ALL reports == nil", "NONE reports == boss", "ANY reports IN {nil}",
    "ANY posts.title LIKE 'A*'", "ALL posts.title MATCHES 'A.*'", "ANY posts.bytes IN {1, nil}",
    "ANY posts.title.length > 2", "ALL posts.title.length > 2", "posts.@max.title.length > 1",
    "posts.@count == 1.5", "posts.@count == 'x'", "posts.@count == nil", "posts.@count > age",
    "posts.@sum.title == 0", "posts.@avg.title == nil", "posts.@min.author == nil",
    "reports.@max.name > 'B'", "reports.@min.flag == 0", "reports.@max.uid != nil",
    "SUBQUERY(posts, $p, $p == nil).@count == 0",
    "SUBQUERY(posts, $p, $p.author == SELF).@count > 1",
    "SUBQUERY(posts, $p, TRUEPREDICATE).@count == posts.@count",
    "SUBQUERY(boss.reports, $r, $r != SELF).@count > 0",
    "SUBQUERY(posts, $p, $p.bytes > 2) == nil", "SUBQUERY(posts, $p, $p.bytes > 2).@max.bytes > 3",
    "name.length == nil", "boss.name.length == 3 OR name.length == 0", "name.length BETWEEN {1, 3}",
    "objectID IN {nil}", "boss.objectID == objectID", "name == SELF", "age == boss", "reports == 5",
    "name ==[c] nil", "name IN[cd] {nil, 'emile'}", "name BETWEEN {'a', nil}", "name BETWEEN {}",
    "age BETWEEN {10, 'x'}", "age BETWEEN age", "age BETWEEN {boss.age, 20}",
    "10 < age", "10 <= age", "10 > age", "10 >= age", "'B' >= name", "nil >= name", "nil < name",
    "name LIKE 'a\\\\'", "name LIKE '*\\\\'", "name IN {{'Ada', 'Bob'}, {'x'}}[0]",
    "name == {{'Ada'}, 'Bob'}[LAST]", "5 IN name", "nil IN name", "age IN 'x10'", "photo IN 'x'",
    "born >= CAST('nan', 'NSDate')", "born < CAST('nan', 'NSDate')",
    "born IN {CAST('nan', 'NSDate')}",
    "ANY name == 'Ada'", "ANY SELF == nil", "ANY boss == nil", "ALL boss == SELF",
    "NONE boss != nil",
    "ANY boss.name == nil", "ALL boss.age > 10", "posts.@max.bytes.length > 1",
    "noindex:(uppercase(name)) == 'ADA'", "age ^ age ^ age ^ age == 0",
    "age ^ 1 ^ age ^ age ^ age ^ age == 1", "age & 1.5 == 1", "name & 1 == 1",
  ])
  func `both stores agree on what is rarely written`(_ format: String) throws {
    let query = twins.query("Author", try FetchPredicate(parsing: format))
    #expect(
      PredicateTwins.answer(twins.sqlite, query) == PredicateTwins.answer(twins.memory, query)
    )
  }

  @Test
  func `nothing joined is true or false in both stores`() throws {
    let named = try FetchPredicate(parsing: "name == 'Ada'").checked()
    for (node, all) in [
      (PredicateNode.and([]), true), (.or([]), false), (.not(.and([])), false),
      (.or([named, .and([])]), true), (.and([named, .or([])]), false),
    ] {
      let query = twins.query("Author", FetchPredicate(node))
      let answer = PredicateTwins.answer(twins.memory, query)
      #expect(answer == (all ? "\(Array(1...24))" : "[]"), "\(node)")
      #expect(PredicateTwins.answer(twins.sqlite, query) == answer, "\(node)")
      #expect(try twins.condition("Author", FetchPredicate(node)).residual == nil)
    }
  }

  @Test
  func `no decimal is equal to NaN, and many values fold case one by one`() throws {
    let nan = Decimal.nan
    let few = (1...60).map { "n\($0)" } + ["ADA"]
    let many = (1...70).map { "n\($0)" } + ["ADA"]
    for predicate in [
      "rate == \(nan)", "rate != \(nan)", "age < \(nan)", "score IN \([nan, 1])",
      "name IN[c] \(few)", "name IN[c] \(many)",
    ] as [FetchPredicate] {
      let query = twins.query("Author", predicate)
      #expect(
        PredicateTwins.answer(twins.sqlite, query) == PredicateTwins.answer(twins.memory, query)
      )
    }
    #expect(try twins.condition("Author", "name IN[c] \(few)").residual == nil)
    #expect(try twins.condition("Author", "name IN[c] \(many)").residual != nil)
    let equal = twins.query("Author", "rate == \(nan)")
    #expect(PredicateTwins.answer(twins.sqlite, equal) == "[]")
  }

  @Test(arguments: [
    "text == 'Ada'", "text != 'Ada'", "text == nil", "text CONTAINS[c] 'a'", "text IN {'Ada', nil}",
    "author.name == 'Ada' AND bytes > 1", "ANY tags.name == 'Bob'", "tags.@count == 0",
    "tags.@count >= 2",
    "ALL tags.posts.bytes > 0", "ANY tags.posts.author.name == 'Ada'",
    "author.boss.name BEGINSWITH 'A'",
    "ANY author.posts.title == title", "author.posts.@count > 3",
  ])
  func `both stores select the same rows of a family`(_ format: String) throws {
    for entity in ["Post", "Article"] {
      var query = twins.query(entity, try FetchPredicate(parsing: format))
      for includesSubentities in [true, false] {
        query.includesSubentities = includesSubentities
        #expect(
          PredicateTwins.answer(twins.sqlite, query) == PredicateTwins.answer(twins.memory, query),
          "\(entity)"
        )
      }
    }
  }

  @Test
  func `what SQLite cannot compile is left to memory`() throws {
    let many = (0..<1100).map { "age == \($0) OR name CONTAINS 'b'" }.joined(separator: " OR ")
    let nested =
      String(repeating: "(age == 1 OR (name != nil AND ", count: 40)
      + "age == 2" + String(repeating: "))", count: 40)
    let subqueries =
      "SUBQUERY(reports, $x, " + String(repeating: "SUBQUERY($x.reports, $x, ", count: 19)
      + "$x.age == 10" + String(repeating: ").@count == 0", count: 20)
    let path = "boss" + String(repeating: ".boss", count: 30) + ".name == nil"
    let any = "ANY reports" + String(repeating: ".reports", count: 15) + ".name == 'Ada'"
    let formats = try [many, nested, subqueries, path, any].map { try FetchPredicate(parsing: $0) }
    let choices = try [1, 4, 8, 9, 12, 40].flatMap { depth in
      try ["TERNARY(age > 1, %, 2)", "TERNARY(age > 1, 2, %)", "TERNARY(% > 1, age, 2)"].map {
        choice in
        let value = (0..<depth).reduce("age") { value, _ in choice.replacing("%", with: value) }
        return try FetchPredicate(parsing: "NOT \(value) == 20")
      }
    }
    let lists = [5000, 33_000].map { count -> FetchPredicate in
      "name IN \((0..<count).map(String.init))"
    }
    for predicate in formats + lists + choices {
      let query = twins.query("Author", predicate)
      #expect(
        PredicateTwins.answer(twins.sqlite, query) == PredicateTwins.answer(twins.memory, query)
      )
    }
    #expect(try twins.condition("Author", formats[0]).residual == nil)
    #expect(try twins.condition("Author", formats[2]).residual != nil)
    #expect(try twins.condition("Author", choices[3]).residual == nil)
    #expect(try twins.condition("Author", lists[0]).residual == nil)
    #expect(try twins.condition("Author", lists[1]).residual != nil)
  }

  @Test(arguments: [33, 1_000, 3_000])
  func `any number of parts joined by AND are SQL`(_ count: Int) throws {
    let parts = (0..<count).map { "age != \($0 + 15)" }.joined(separator: " AND ")
    let query = twins.query("Author", try FetchPredicate(parsing: parts))
    #expect(
      PredicateTwins.answer(twins.sqlite, query) == PredicateTwins.answer(twins.memory, query)
    )
    #expect(throws: Never.self) { try twins.sqlite.checkForSQL(query) }
  }

  @Test
  func `object IDs select their objects, and those of other stores none`() throws {
    for (store, number) in [(twins.sqlite as any RowStore, 1), (twins.memory, 2)] {
      func id(_ entity: String, _ key: Int64, owner: UUID? = nil) -> ManagedObjectID {
        ManagedObjectID(entityName: entity, owner: owner ?? store.identifier, key: key)
      }
      func keys(_ predicate: FetchPredicate) -> String {
        PredicateTwins.answer(store, twins.query("Author", predicate))
      }
      #expect(keys("SELF == \(id("Author", 3))") == "[3]", "\(number)")
      #expect(keys("objectID IN \([id("Author", 3), id("Author", 5)])") == "[3, 5]", "\(number)")
      #expect(keys("SELF == \(id("Author", 3, owner: UUID()))") == "[]", "\(number)")
      #expect(keys("SELF == \(id("Tag", 3))") == "[]", "\(number)")
      #expect(keys("SELF == \(id("Author", -3))") == "[]", "\(number)")
      let many = (1...2000).map { id("Author", Int64($0)) }
      #expect(keys("SELF IN \(many)") == keys("TRUEPREDICATE"), "\(number)")
    }
    for key in [Int64(1), 2, 3] {
      func answer(_ store: any RowStore, _ format: StaticString) -> String {
        let id = ManagedObjectID(entityName: "Author", owner: store.identifier, key: key)
        return PredicateTwins.answer(
          store,
          twins.query("Author", FetchPredicate(format: format, id))
        )
      }
      for format in ["boss == %@", "boss != %@", "ANY reports == %@", "%@ IN reports"]
        as [StaticString]
      {
        #expect(answer(twins.sqlite, format) == answer(twins.memory, format), "\(format)")
      }
    }
  }

  @Test(arguments: [
    [FetchSort("name")], [FetchSort("name", ascending: false)],
    [FetchSort("boss.name"), FetchSort("age")],
    [FetchSort("name", comparison: .caseInsensitive)],
    [FetchSort("name", comparison: .localizedStandard)],
    [FetchSort("name", ascending: false, comparison: .localized)],
    [FetchSort("name", comparison: .localizedCaseInsensitive)],
    [FetchSort("score"), FetchSort("born", ascending: false)],
    [FetchSort("rate")], [FetchSort("uid")], [FetchSort("flag"), FetchSort("site")],
    [FetchSort("photo")], [FetchSort(String(repeating: "boss.", count: 30) + "name")],
    [FetchSort](repeating: FetchSort("age"), count: 2_100),
  ])
  func `both stores give the same order and window`(_ sorts: [FetchSort]) throws {
    for format in ["TRUEPREDICATE", "age > 5", "age + 1 > 5"] {
      var query = twins.query("Author", try FetchPredicate(parsing: format))
      query.sorts = sorts
      for (limit, offset) in [(0, 0), (5, 0), (5, 3), (0, 4)] {
        query.limit = limit
        query.offset = offset
        #expect(
          PredicateTwins.answer(twins.sqlite, query) == PredicateTwins.answer(twins.memory, query),
          "\(format), \(limit) from \(offset)"
        )
      }
    }
  }

  @Test(arguments: [
    ("name == 'Ada'", "SEARCH t0 USING"), ("name BEGINSWITH 'Ad'", "SEARCH t0 USING"),
    ("name IN {'Ada', nil}", "MULTI-INDEX OR"), ("name LIKE 'Ad*m'", "SEARCH t0 USING"),
    ("ANY posts.title == 'x'", "SEARCH t1 USING"), ("boss.name == 'Ada'", "SEARCH t1 USING"),
    ("born > CAST(1, 'NSDate')", "SEARCH t0 USING"),
  ])
  func `indexes are used`(_ format: String, _ plan: String) throws {
    let condition = try twins.condition("Author", FetchPredicate(parsing: format))
    let sql = "EXPLAIN QUERY PLAN SELECT Z_PK FROM ZAUTHOR AS t0 WHERE \(condition.sql)"
    let steps = try twins.sqlite.read { connection throws(SQLiteFailure) in
      let statement = try connection.prepare(sql)
      defer { statement.finalize() }
      try statement.bind(condition.bindings)
      var steps: [String] = []
      while try statement.step() { steps.append(statement.text(3)) }
      return steps
    }
    #expect(steps.contains { $0.contains(plan) }, "\(steps)")
  }
}
