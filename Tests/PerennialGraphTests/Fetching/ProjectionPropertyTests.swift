// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import RandomTesting
import Testing

/// A value to fetch, and what it is computed without the library.
private struct Field: Sendable {
  let property: PropertyToFetch
  /// The value for the sales of a group, in the order of their insertion.
  let value: @Sendable ([Sale], SaleStore) -> (any Sendable)?

  var name: String { property.name }

  static func path(
    _ name: String,
    _ value: @escaping @Sendable (Sale, SaleStore) -> (any Sendable)?
  ) -> Field {
    Field(property: .property(name)) { sales, store in sales.first.flatMap { value($0, store) } }
  }

  static func computed(
    _ format: StaticString,
    _ value: @escaping @Sendable ([Sale]) -> (any Sendable)?
  ) -> Field {
    let description = ExpressionDescription("\(format)", format: format)
    return Field(property: .expression(description)) { sales, _ in value(sales) }
  }

  static let paths: [Field] = [
    .path("small") { sale, _ in sale.small }, .path("big") { sale, _ in sale.big },
    .path("flag") { sale, _ in sale.flag }, .path("amount") { sale, _ in sale.amount },
    .path("price") { sale, _ in sale.price }, .path("day") { sale, _ in sale.day },
    .path("name") { sale, _ in sale.name }, .path("tag") { sale, _ in sale.tag },
    .path("seller") { sale, store in sale.seller.map { store.sellerIDs[$0] } },
    .path("seller.name") { sale, _ in sale.seller.flatMap { Sale.sellers[$0] } },
  ]

  static let aggregates: [Field] = [
    .computed("count(SELF)") { Int64($0.count) },
    .computed("count:(name)") { Int64($0.count { $0.name != nil }) },
    .computed("count(seller)") { Int64($0.count { $0.seller != nil }) },
    .computed("sum(small)") { $0.reduce(0) { $0 + $1.small } },
    .computed("sum(big)") { $0.reduce(0) { $0 + ($1.big ?? 0) } },
    .computed("sum(price)") { sales in
      let prices = sales.compactMap(\.price)
      return prices.isEmpty ? Int64(0) : prices.reduce(0, +)
    },
    .computed("sum(amount)") { sales in
      let amounts = sales.compactMap(\.amount)
      return amounts.isEmpty ? Int64(0) : amounts.reduce(0, +)
    },
    .computed("min(price)") { $0.compactMap(\.price).min() },
    .computed("max(day)") { $0.compactMap(\.day).max() },
    .computed("min(amount)") { $0.compactMap(\.amount).min() },
    .computed("max(name)") { sales in
      sales.compactMap(\.name).max { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    },
    .computed("max(flag)") { sales in
      let flags = sales.compactMap(\.flag)
      return flags.isEmpty ? nil : flags.contains(true)
    },
    .computed("average(small)") { sales in
      sales.isEmpty
        ? nil : Double(sales.reduce(0) { $0 + $1.small }) / Double(sales.count)
    },
    .computed("max(small) - min(small)") { sales in
      guard let most = sales.map(\.small).max(), let least = sales.map(\.small).min() else {
        return nil
      }
      return most - least
    },
    .computed("max(seller.name)") { sales in
      sales.compactMap { $0.seller.flatMap { Sale.sellers[$0] } }.max()
    },
  ]
}

/// How two values are ordered ascending: absent ones first.
private func order(_ left: (any Sendable)?, _ right: (any Sendable)?) -> Int {
  func compare<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : a > b ? 1 : 0 }
  switch (left, right) {
  case (nil, nil): return 0
  case (nil, _): return -1
  case (_, nil): return 1
  case (let a as Int64, let b as Int64): return compare(a, b)
  case (let a as Double, let b as Double): return compare(a, b)
  case (let a as Decimal, let b as Decimal): return compare(a, b)
  case (let a as Int64, let b as Double): return compare(Double(a), b)
  case (let a as Double, let b as Int64): return compare(a, Double(b))
  case (let a as Int64, let b as Decimal): return compare(Decimal(a), b)
  case (let a as Decimal, let b as Int64): return compare(a, Decimal(b))
  case (let a as Bool, let b as Bool): return compare(a ? 1 : 0, b ? 1 : 0)
  case (let a as Date, let b as Date): return compare(a, b)
  case (let a as String, let b as String):
    return a.utf8.elementsEqual(b.utf8) ? 0 : a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
  case (let a as UUID, let b as UUID): return compare(a.uuidString, b.uuidString)
  case (let a as ManagedObjectID, let b as ManagedObjectID):
    return compare(a.uriRepresentation.absoluteString, b.uriRepresentation.absoluteString)
  default: return 0
  }
}

@Suite("Values and groups against an independent computation")
struct ProjectionPropertyTests {
  /// A row that is expected: what is fetched, and what decides about its place among equals.
  private struct Expected {
    var row: [String: any Sendable]
    var ties: [(any Sendable)?]
  }

  private struct Run {
    var generator: SeededGenerator
    /// Those that meet the condition.
    let sales: [(place: Int, sale: Sale)]
    /// The condition: none, one for SQL, or one that SQL leaves to memory.
    let condition: FetchPredicate?
    let stores: [SaleStore]
    let seed: UInt64

    init(seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      let count = Int.random(in: 0...40, using: &generator)
      let sales = (0..<count).map { _ in Sale.random(&generator) }
      let conditions: [FetchPredicate?] = [nil, "small > 0", "small + 1 > 1"]
      let condition = conditions[Int.random(in: 0..<3, using: &generator)]
      self.condition = condition
      let isAll = condition == nil
      self.sales = sales.enumerated().filter { isAll || $1.small > 0 }.map { ($0, $1) }
      stores = try StoreKind.allCases.map { try SaleStore($0, sales) }
      self.generator = generator
      self.seed = seed
    }

    mutating func some(_ fields: [Field], _ counts: ClosedRange<Int>) -> [Field] {
      Array(
        fields.shuffled(using: &generator).prefix(Int.random(in: counts, using: &generator))
      )
    }

    /// Holds what both stores fetch against what is expected, sorted and cut.
    mutating func check(
      _ fields: [Field],
      fallsWithLastSort falls: Bool,
      _ make: (SaleStore) -> (FetchRequest<ManagedObject>, [Expected])
    ) throws {
      let sorts = some(fields.filter { $0.name != "seller" }, 0...2).map {
        FetchSort($0.name, ascending: .random(using: &generator))
      }
      let window = (
        Int.random(in: 0...5, using: &generator), Int.random(in: 0...3, using: &generator)
      )
      for store in stores {
        var (request, expected) = make(store)
        request.predicate = condition
        request.sortDescriptors = sorts
        if !sorts.isEmpty { (request.fetchLimit, request.fetchOffset) = window }
        let found = try store.bench.context().fetchDictionaries(request)
        let rows = sorts.isEmpty ? expected : cut(sorted(expected, sorts, falls), window)
        let wanted = comparable(rows.map(\.row))
        let isEqual =
          sorts.isEmpty
          ? counts(comparable(found)) == counts(wanted) : comparable(found) == wanted
        #expect(isEqual, "seed \(seed), \(request): \(found), not \(rows.map(\.row))")
      }
    }

    private func counts(_ rows: [[String: AnyHashable]]) -> [[String: AnyHashable]: Int] {
      Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
    }

    private func sorted(
      _ rows: [Expected],
      _ sorts: [FetchSort],
      _ fallsWithLastSort: Bool
    ) -> [Expected] {
      let isRising = !fallsWithLastSort || sorts.last?.ascending != false
      return rows.sorted { left, right in
        for sort in sorts {
          let order = order(left.row[sort.key], right.row[sort.key])
          if order != 0 { return (order < 0) == sort.ascending }
        }
        for (left, right) in zip(left.ties, right.ties) {
          let order = order(left, right)
          if order != 0 { return (order < 0) == isRising }
        }
        return false
      }
    }

    private func cut(_ rows: [Expected], _ window: (limit: Int, offset: Int)) -> [Expected] {
      let rest = rows.dropFirst(window.offset)
      return Array(window.limit > 0 ? rest.prefix(window.limit) : rest)
    }
  }

  private func row(_ fields: [Field], _ sales: [Sale], _ store: SaleStore) -> [String: any Sendable]
  {
    var row: [String: any Sendable] = [:]
    for field in fields { row[field.name] = field.value(sales, store) }
    return row
  }

  @Test func `1G.8 random groups are those of an independent computation`() throws {
    for seed in PropertyRuns.seeds(usually: 60) {
      var run = try Run(seed: seed)
      let groups = run.some(Field.paths, 0...3)
      let fields = groups + run.some(Field.aggregates, groups.isEmpty ? 1...4 : 0...4)
      let least = Int.random(in: 0...3, using: &run.generator)
      let sales = run.sales
      try run.check(fields, fallsWithLastSort: false) { store in
        var request = store.sales
        request.propertiesToFetch = fields.map(\.property)
        request.propertiesToGroupBy = groups.map(\.name)
        let sales = store.keyed(sales).map(\.sale)
        if !groups.isEmpty { request.havingPredicate = "count(SELF) > \(least)" }
        var members: [[String: AnyHashable]: [Sale]] = [:]
        if groups.isEmpty { members[[:]] = sales }
        for sale in sales where !groups.isEmpty {
          members[comparable([row(groups, [sale], store)])[0], default: []].append(sale)
        }
        let kept =
          groups.isEmpty ? Array(members.values) : members.values.filter { $0.count > least }
        return (
          request,
          kept.map { sales in
            Expected(row: row(fields, sales, store), ties: groups.map { $0.value(sales, store) })
          }
        )
      }
    }
  }

  @Test func `1G.7 random distinct values are those of an independent computation`() throws {
    for seed in PropertyRuns.seeds(usually: 60) {
      var run = try Run(seed: seed)
      let fields = run.some(Field.paths, 1...3)
      let isDistinct = Bool.random(using: &run.generator)
      let sales = run.sales
      try run.check(fields, fallsWithLastSort: !isDistinct) { store in
        var request = store.sales
        request.propertiesToFetch = fields.map(\.property)
        request.returnsDistinctResults = isDistinct
        var seen: Set<[String: AnyHashable]> = []
        var expected: [Expected] = []
        for (sale, key) in store.keyed(sales) {
          let row = row(fields, [sale], store)
          guard !isDistinct || seen.insert(comparable([row])[0]).inserted else { continue }
          expected.append(
            Expected(
              row: row,
              ties: isDistinct ? fields.map { $0.value([sale], store) } : [key]
            )
          )
        }
        return (request, expected)
      }
    }
  }
}
