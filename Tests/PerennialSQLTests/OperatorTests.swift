// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import Testing

/// What both engines say of a predicate; `nil` where memory answers it.
struct OperatorCase: Sendable, CustomTestStringConvertible {
  let format: String
  let sqlite: String?
  let postgres: String?

  init(_ format: String, _ sqlite: String?, _ postgres: String?) {
    self.format = format
    self.sqlite = sqlite
    self.postgres = postgres
  }

  var testDescription: String { format }
}

@Suite("Operators in two dialects")
struct OperatorTests {
  private let models: DialectModel

  init() throws { models = try DialectModel() }

  private static let boss = "(SELECT t1.ZNAME FROM ZAUTHOR AS t1 WHERE t1.Z_PK = t0.ZBOSS)"
  private static let bossOfPostgres =
    "(SELECT t1.zname FROM zauthor AS t1 WHERE t1.Z_PK = t0.zboss)"
  private static let sum =
    "((SUM(t1.ZBYTES >> 32) + (SUM(t1.ZBYTES & 4294967295) >> 32)) * 4294967296 "
    + "+ (SUM(t1.ZBYTES & 4294967295) & 4294967295))"
  private static let posts = "FROM ZPOST AS t1 WHERE t1.ZAUTHOR = t0.Z_PK"
  private static let postsOfPostgres = "FROM zpost AS t1 WHERE t1.zauthor = t0.Z_PK"

  static let comparisons: [OperatorCase] = [
    OperatorCase("name == 'Ada'", "t0.ZNAME IS ?", "t0.zname = ?"),
    OperatorCase("name == nil", "t0.ZNAME IS NULL", "t0.zname IS NULL"),
    OperatorCase(
      "name == boss.name",
      "t0.ZNAME IS \(boss)",
      "t0.zname IS NOT DISTINCT FROM \(bossOfPostgres)"
    ),
    OperatorCase("name ==[c] 'ada'", "pn_equal(t0.ZNAME, ?, 1)", nil),
    OperatorCase(
      "name ==[c] boss.name",
      "(pn_equal(t0.ZNAME, \(boss), 1) OR (t0.ZNAME IS NULL AND \(boss) IS NULL))",
      nil
    ),
    OperatorCase("name == 'a\\x00b'", "t0.ZNAME IS ?", nil),
    OperatorCase("name != 'Ada'", "t0.ZNAME IS NOT ?", "t0.zname IS DISTINCT FROM ?"),
    OperatorCase("age < 5", "t0.ZAGE < ?", "t0.zage < ?"),
    OperatorCase("NOT age < 5", "(t0.ZAGE < ?) IS NOT TRUE", "(t0.zage < ?) IS NOT TRUE"),
    OperatorCase("name <[cd] 'b'", "pn_order(t0.ZNAME, ?, 3) < 0", nil),
    OperatorCase("age == score", "t0.ZAGE IS t0.ZSCORE", nil),
    OperatorCase("age < score", "t0.ZAGE < t0.ZSCORE", nil),
    OperatorCase("age < rate", "t0.ZAGE < t0.ZRATE", "t0.zage < t0.zrate"),
    OperatorCase("age <= 5", "t0.ZAGE <= ?", "t0.zage <= ?"),
    OperatorCase("name > 'b'", "t0.ZNAME > ?", "t0.zname > ?"),
    OperatorCase("age >= 2.5", "t0.ZAGE >= ?", "t0.zage >= ?"),
    OperatorCase("age > 1e300", "t0.ZAGE > ?", nil),
    OperatorCase("score == 9007199254740993", "t0.ZSCORE IS ?", nil),
    OperatorCase("rate == 5", "t0.ZRATE IS ?", "t0.zrate = ?"),
    OperatorCase("rate == CAST('2.5', 'NSDecimalNumber')", "t0.ZRATE IS ?", nil),
    OperatorCase("rate == 0.5", "t0.ZRATE IS ?", "t0.zrate = ?"),
    OperatorCase("rate == 9007199254740992.0", nil, "t0.zrate = ?"),
    OperatorCase("rate > 1e300", "t0.ZRATE > ?", "t0.zrate > ?"),
    OperatorCase("rate < score", nil, "t0.zrate < t0.zscore"),
    OperatorCase(
      "score == CAST('9007199254740993', 'NSDecimalNumber')",
      "t0.ZSCORE IS ?",
      "t0.zscore = ?"
    ),
    OperatorCase(
      "age BETWEEN {1, 5}",
      "(t0.ZAGE >= ? AND t0.ZAGE <= ?)",
      "(t0.zage >= ? AND t0.zage <= ?)"
    ),
    OperatorCase("flag == YES", "t0.ZFLAG IS ?", "t0.zflag = ?"),
    OperatorCase("TRUEPREDICATE", "1", "TRUE"),
    OperatorCase("name IN {}", "0", "FALSE"),
  ]

  static let collections: [OperatorCase] = [
    OperatorCase("age IN {7}", "t0.ZAGE = ?", "t0.zage = ?"),
    OperatorCase(
      "age IN {1, 2, 3}",
      "t0.ZAGE IN (?, ?, ?, ?)",
      "t0.zage = ANY (CAST(? AS bigint[]))"
    ),
    OperatorCase(
      "name IN {'a', 'b', nil}",
      "(t0.ZNAME IN (?, ?) OR t0.ZNAME IS NULL)",
      "(t0.zname = ANY (CAST(? AS text[])) OR t0.zname IS NULL)"
    ),
    OperatorCase(
      "name IN 'xAdamx'",
      "pn_contains(?, t0.ZNAME, 0)",
      "(t0.zname <> '' AND strpos(?, t0.zname) > 0)"
    ),
    OperatorCase(
      "ANY posts.title == 'x'",
      "EXISTS (SELECT 1 \(posts) AND t1.ZTITLE IS ?)",
      "EXISTS (SELECT 1 \(postsOfPostgres) AND t1.ztitle = ?)"
    ),
    OperatorCase(
      "ALL posts.bytes > 1",
      "NOT EXISTS (SELECT 1 \(posts) AND (t1.ZBYTES > ?) IS NOT TRUE)",
      "NOT EXISTS (SELECT 1 \(postsOfPostgres) AND (t1.zbytes > ?) IS NOT TRUE)"
    ),
    OperatorCase(
      "NONE posts.bytes > 1",
      "NOT EXISTS (SELECT 1 \(posts) AND t1.ZBYTES > ?)",
      "NOT EXISTS (SELECT 1 \(postsOfPostgres) AND t1.zbytes > ?)"
    ),
    OperatorCase(
      "boss.name == 'Ada'",
      "t0.ZBOSS IN (SELECT t1.Z_PK FROM ZAUTHOR AS t1 WHERE t1.ZNAME IS ?)",
      "t0.zboss IN (SELECT t1.Z_PK FROM zauthor AS t1 WHERE t1.zname = ?)"
    ),
    OperatorCase(
      "posts.@count == 0",
      "NOT EXISTS (SELECT 1 \(posts))",
      "NOT EXISTS (SELECT 1 \(postsOfPostgres))"
    ),
    OperatorCase(
      "posts.@count > 2",
      "(SELECT COUNT(*) \(posts)) > ?",
      "(SELECT COUNT(*) \(postsOfPostgres)) > ?"
    ),
    OperatorCase(
      "posts.@sum.bytes > 3",
      "(SELECT IFNULL(\(sum), 0) \(posts)) > ?",
      "(SELECT COALESCE(SUM(t1.zbytes), 0) \(postsOfPostgres)) > ?"
    ),
    OperatorCase(
      "posts.@avg.bytes > 1.5",
      "(SELECT CAST(\(sum) AS REAL) / COUNT(t1.ZBYTES) \(posts)) > ?",
      "(SELECT CAST(SUM(t1.zbytes) AS double precision) / COUNT(t1.zbytes) \(postsOfPostgres)) > ?"
    ),
    OperatorCase(
      "posts.@max.bytes == 6",
      "(SELECT MAX(t1.ZBYTES) \(posts)) IS ?",
      "(SELECT MAX(t1.zbytes) \(postsOfPostgres)) = ?"
    ),
    OperatorCase(
      "reports.@min.uid == nil",
      "(SELECT MIN(t1.ZUID) FROM ZAUTHOR AS t1 WHERE t1.ZBOSS = t0.Z_PK) IS NULL",
      nil
    ),
    OperatorCase(
      "SUBQUERY(posts, $p, $p.bytes > 2).@count > 0",
      "EXISTS (SELECT 1 \(posts) AND t1.ZBYTES > ?)",
      "EXISTS (SELECT 1 \(postsOfPostgres) AND t1.zbytes > ?)"
    ),
  ]

  static let texts: [OperatorCase] = [
    OperatorCase("name CONTAINS 'd'", "instr(t0.ZNAME, ?) > 0", "strpos(t0.zname, ?) > 0"),
    OperatorCase("name CONTAINS ''", "0", "FALSE"),
    OperatorCase("name CONTAINS[c] 'd'", "pn_contains(t0.ZNAME, ?, 1)", nil),
    OperatorCase(
      "name CONTAINS boss.name",
      "pn_contains(t0.ZNAME, \(boss), 0)",
      "(\(bossOfPostgres) <> '' AND strpos(t0.zname, \(bossOfPostgres)) > 0)"
    ),
    OperatorCase(
      "name BEGINSWITH 'Ad'",
      "(t0.ZNAME >= ? AND t0.ZNAME < ?)",
      "(t0.zname >= ? AND t0.zname < ?)"
    ),
    OperatorCase("name BEGINSWITH[c] 'Ad'", "pn_begins(t0.ZNAME, ?, 1)", nil),
    OperatorCase(
      "name BEGINSWITH boss.name",
      "pn_begins(t0.ZNAME, \(boss), 0)",
      "(\(bossOfPostgres) <> '' AND starts_with(t0.zname, \(bossOfPostgres)))"
    ),
    OperatorCase(
      "name ENDSWITH 'a'",
      "pn_ends(t0.ZNAME, ?, 0)",
      "right(t0.zname, length(?)) = ?"
    ),
    OperatorCase("name LIKE 'Ada'", "t0.ZNAME IS ?", "t0.zname = ?"),
    OperatorCase("name LIKE '*d*'", "instr(t0.ZNAME, ?) > 0", "strpos(t0.zname, ?) > 0"),
    OperatorCase("name LIKE '?da'", "pn_like(t0.ZNAME, ?, 0)", "t0.zname LIKE ?"),
    OperatorCase(
      "name LIKE 'A*a'",
      "((t0.ZNAME >= ? AND t0.ZNAME < ?) AND pn_like(t0.ZNAME, ?, 0))",
      "((t0.zname >= ? AND t0.zname < ?) AND t0.zname LIKE ?)"
    ),
    OperatorCase("name LIKE[c] 'a*'", "pn_like(t0.ZNAME, ?, 1)", nil),
    OperatorCase(
      "name LIKE boss.name",
      "(pn_like(t0.ZNAME, \(boss), 0) OR (t0.ZNAME IS NULL AND \(boss) IS NULL))",
      nil
    ),
    OperatorCase("name MATCHES '[A-Z][a-z]+'", "pn_matches(t0.ZNAME, ?, 0)", "t0.zname ~ ?"),
    OperatorCase("name MATCHES 'A.c'", "pn_matches(t0.ZNAME, ?, 0)", nil),
    OperatorCase("name MATCHES '('", nil, nil),
    OperatorCase(
      "name.length > 2",
      "pn_length(t0.ZNAME, '', 0) > ?",
      "(length(t0.zname) + length(regexp_replace(t0.zname, '[\\u0001-\\uFFFF]+', '', 'g'))) > ?"
    ),
    OperatorCase("noindex:(name) == 'Ada'", "+t0.ZNAME IS ?", "t0.zname = ?"),
    OperatorCase("age & 3 == 1", "(t0.ZAGE & ?) IS ?", "(CAST(t0.zage AS bigint) & ?) = ?"),
    OperatorCase("age + 1 > 5", nil, nil),
    OperatorCase(
      "TERNARY(age > 1, name, 'x') == 'Ada'",
      "(CASE WHEN t0.ZAGE > ? THEN t0.ZNAME IS ? ELSE 0 END)",
      "(CASE WHEN t0.zage > ? THEN t0.zname = ? ELSE FALSE END)"
    ),
  ]

  @Test(arguments: comparisons + collections + texts)
  func `every operator has its text in both dialects, or memory answers it`(
    _ operatorCase: OperatorCase
  ) throws {
    let predicate = try FetchPredicate(parsing: operatorCase.format)
    for (schema, expected) in [
      (models.sqlite, operatorCase.sqlite), (models.postgres, operatorCase.postgres),
    ] {
      let condition = try models.condition(operatorCase.format, schema)
      #expect(condition.sql == expected ?? "")
      #expect(condition.residual == (expected == nil ? predicate : nil))
      #expect(condition.bindings.count == condition.sql.count { $0 == "?" })
    }
  }

  @Test func `no operator is missing in the table`() throws {
    var found: Set<Comparison.Operator> = []
    for operatorCase in Self.comparisons + Self.collections + Self.texts {
      let node = try FetchPredicate(parsing: operatorCase.format).checked()
      if case .comparison(let comparison) = node { found.insert(comparison.comparator) }
    }
    #expect(found == Set(Comparison.Operator.allCases))
  }
}
