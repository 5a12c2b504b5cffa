// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import Testing

@testable import PerennialSQLite

@Suite("Values in SQL")
struct ProjectionSQLTests {
  private let twins: PredicateTwins

  init() throws { twins = try PredicateTwins() }

  /// What is fetched of authors, and the part of it that SQL cannot say, if there is one.
  struct Request: Sendable, CustomTestStringConvertible {
    /// Properties, and values with their formats.
    var fields: [String: String?]
    var order: [String]
    var groups: [String] = []
    var having: String?
    var isDistinct = false
    var sorts: [FetchSort] = []
    /// The value that becomes a double.
    var converted: String?
    var obstacle: String?

    init(
      _ fields: KeyValuePairs<String, String?>,
      groups: [String] = [],
      having: String? = nil,
      distinct isDistinct: Bool = false,
      sorts: [FetchSort] = [],
      converting converted: String? = nil,
      refused obstacle: String? = nil
    ) {
      self.fields = Dictionary(fields.map { ($0.key, $0.value) }) { $1 }
      order = fields.map(\.key)
      self.groups = groups
      self.having = having
      self.isDistinct = isDistinct
      self.sorts = sorts
      self.converted = converted
      self.obstacle = obstacle
    }

    var testDescription: String { order.joined(separator: ", ") + " by \(groups)" }

    func plan(_ twins: PredicateTwins) throws -> ProjectionQuery {
      var request = ProjectionRequest()
      request.properties = try order.map { name in
        guard let format = fields[name] ?? nil else { return .property(name) }
        return .expression(
          try ExpressionDescription(
            name,
            parsing: format,
            resultType: name == converted ? .double : .undefined
          )
        )
      }
      request.groups = groups
      request.having = try having.map { try FetchPredicate(parsing: $0) }
      request.isDistinct = isDistinct
      request.sorts = sorts
      return try ProjectionPlanner.plan(request, of: twins.query("Author", nil), in: twins.model)
    }
  }

  static let requests = [
    Request(["one": "1", "half": "0.5", "text": "'x'", "name": nil]),
    Request(["site": nil, "photo": nil, "uid": nil, "born": nil, "rate": nil, "flag": nil]),
    Request(["boss": nil, "boss.name": nil, "bits": "age & 3", "plain": "noindex:(name)"]),
    Request(["nothing": "length(nil)"], refused: "the value 'nothing'"),
    Request(["truth": "TRUE"], refused: "the value 'truth'"),
    Request(["bytes": "posts.@sum.bytes"], refused: "the value 'bytes'"),
    Request(["capitals": "uppercase(name)"], refused: "the value 'capitals'"),
    Request(["n": "count(SELF)"], groups: ["age"]),
    Request(["n": "count(SELF)", "age": nil], groups: ["age", "flag"], sorts: [FetchSort("n")]),
    Request(
      ["n": "count(SELF)"],
      groups: ["age", "boss.flag"],
      having: "age > 0 AND max(score) > 1",
      sorts: [FetchSort("n", ascending: false), FetchSort("age")]
    ),
    Request(["n": "count(SELF)", "least": "min(boss.age)"], groups: ["flag"]),
    Request(["m": "median(age)"], groups: ["flag"], refused: "the value 'm'"),
    Request(["m": "max(uppercase(name))"], groups: ["flag"], refused: "the value 'm'"),
    Request(
      ["n": "count(SELF)"],
      groups: ["flag"],
      having: "median(age) > 5",
      refused: "the havingPredicate"
    ),
    Request(["flag": nil, "age": nil], distinct: true, sorts: [FetchSort("age")]),
    Request(
      ["mean": "age"],
      distinct: true,
      converting: "mean",
      refused: "the value 'mean'"
    ),
    Request(["mean": "age", "name": nil], converting: "mean"),
    Request(
      ["mean": "age"],
      sorts: [FetchSort("mean")],
      converting: "mean",
      refused: "the sort by 'mean' has no column"
    ),
    Request(
      ["m": "posts.@max.bytes", "name": nil],
      sorts: [FetchSort("m")],
      refused: "the value 'm'"
    ),
    Request(["name": nil], sorts: [FetchSort("name", comparison: .localizedStandard)]),
    Request(
      [String(repeating: "boss.", count: 30) + "name": nil],
      refused: "nested too deeply"
    ),
  ]

  @Test(arguments: requests)
  func `both stores give the same values, and SQL says which it cannot`(
    _ request: Request
  ) throws {
    let query = try request.plan(twins)
    #expect(try Self.rows(twins.sqlite, query) == Self.rows(twins.memory, query))
    if let obstacle = request.obstacle {
      let error = try #require(throws: PerennialError.self) { try twins.sqlite.checkForSQL(query) }
      #expect(error.code == .requiresMemory)
      #expect(error.message.contains(obstacle), "\(error)")
    } else {
      #expect(throws: Never.self) { try twins.sqlite.checkForSQL(query) }
    }
  }

  /// The rows as texts; those in any order are put into one.
  static func rows(_ store: some RowProvider, _ query: ProjectionQuery) throws -> [String] {
    let table = try store.fetchValues(query)
    let rows = (0..<table.rowCount).map { row in
      // IDs of two stores differ in nothing but the store.
      table[row].map { value in
        if case .objectID(let id) = value { "\(id.entityName) \(id.key)" } else { "\(value)" }
      }.joined(separator: ", ")
    }
    return query.sorts.isEmpty ? rows.sorted() : rows
  }
}
