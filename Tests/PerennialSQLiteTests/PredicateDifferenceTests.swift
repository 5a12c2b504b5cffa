// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import RandomTesting
import Testing

@testable import PerennialSQLite

/// Writes random predicates on the authors of the twins.
struct PredicateWriter {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func element<Element>(of values: [Element]) -> Element {
    values[random.chance(values.count)]
  }

  /// What can be compared at the end of a path, by entity: attributes and some constants for each.
  private static let values: [String: [(key: String, constants: [String])]] = {
    let texts =
      PredicateTwins.names.map { "'\($0.replacing("\0", with: "\\x00"))'" } + ["nil", "5"]
    let numbers = [
      "0", "10", "1", "0.5", "-3", "nil", "TRUE", "10.25", "CAST('0.1', 'NSDecimalNumber')", "'x'",
    ]
    return [
      "Author": [
        ("name", texts), ("age", numbers), ("score", numbers), ("rate", numbers), ("flag", numbers),
        ("age & 5", numbers), ("age ^ 10", numbers), ("name.length", numbers),
        ("born", ["CAST(1, 'NSDate')", "CAST(0.5, 'NSDate')", "nil", "1"]),
      ],
      "Post": [("title", texts), ("bytes", numbers)],
      "Tag": [("name", texts)],
    ]
  }()

  private static let toOnes = [
    "Author": [("boss", "Author")], "Post": [("author", "Author")], "Tag": [],
  ]

  private static let toManys = [
    "Author": [("reports", "Author"), ("posts", "Post")], "Post": [("tags", "Tag")],
    "Tag": [("posts", "Post")],
  ]

  mutating func predicate(_ entity: String, depth: Int) -> String {
    switch depth > 0 ? random.chance(8) : 7 {
    case 0: "(\(predicate(entity, depth: depth - 1)) AND \(predicate(entity, depth: depth - 1)))"
    case 1: "(\(predicate(entity, depth: depth - 1)) OR \(predicate(entity, depth: depth - 1)))"
    case 2: "NOT \(predicate(entity, depth: depth - 1))"
    case 3: subquery(entity, depth: depth - 1)
    case 4: count(entity)
    case 5: choice(entity)
    default: comparison(entity)
    }
  }

  private mutating func subquery(_ entity: String, depth: Int) -> String {
    let (name, destination) = element(of: Self.toManys[entity] ?? [])
    let inner = predicate(destination, depth: 0).replacing("ANY ", with: "ANY $x.")
      .replacing("ALL ", with: "ALL $x.").replacing("NONE ", with: "NONE $x.")
    let condition = inner.contains("$x.") ? inner : "$x." + inner
    return "SUBQUERY(\(name), $x, \(condition)).@count \(orderOperator()) \(random.chance(3))"
  }

  private mutating func count(_ entity: String) -> String {
    let path = toOnePath(entity)
    let (name, _) = element(of: Self.toManys[path.entity] ?? [])
    return "\(path.prefix)\(name).@count \(orderOperator()) \(random.chance(3))"
  }

  private mutating func choice(_ entity: String) -> String {
    let path = toOnePath(entity)
    let (key, constants) = element(of: Self.values[path.entity] ?? [])
    return "TERNARY(\(comparison(entity)), \(path.prefix)\(key), \(element(of: constants))) "
      + "\(orderOperator()) \(element(of: constants))"
  }

  private mutating func orderOperator() -> String {
    element(of: ["==", "!=", "<", "<=", ">", ">="])
  }

  /// Up to two to-one steps.
  private mutating func toOnePath(_ entity: String) -> (prefix: String, entity: String) {
    var result = (prefix: "", entity: entity)
    for _ in 0..<random.chance(3) {
      let steps = Self.toOnes[result.entity] ?? []
      guard !steps.isEmpty else { break }
      let (name, destination) = element(of: steps)
      result = (result.prefix + name + ".", destination)
    }
    return result
  }

  private mutating func comparison(_ entity: String) -> String {
    var path = toOnePath(entity)
    var modifier = ""
    if random.chance(3) == 0 {
      modifier = element(of: ["ANY ", "ALL ", "NONE "])
      for _ in 0...random.chance(2) {
        let (name, destination) = element(of: Self.toManys[path.entity] ?? [])
        let inner = toOnePath(destination)
        path = (path.prefix + name + "." + inner.prefix, inner.entity)
      }
    }
    let (key, constants) = element(of: Self.values[path.entity] ?? [])
    return modifier + path.prefix + key + " " + right(constants)
  }

  private mutating func right(_ constants: [String]) -> String {
    let isText = constants.count > 12
    switch random.chance(isText ? 8 : 5) {
    case 0, 1, 2: return orderOperator() + " " + element(of: constants)
    case 3:
      return "IN {\(element(of: constants)), \(element(of: constants)), \(element(of: constants))}"
    case 4: return "BETWEEN {\(element(of: constants)), \(element(of: constants))}"
    default:
      let word = element(of: ["==", "<", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES"])
      let options = element(of: ["", "[c]", "[d]", "[cd]", "[n]"])
      let pattern = element(of: constants + ["'a*'", "'*d*'", "'?d*'", "'[a-z]'", "'.*a'"])
      return word + options + " " + pattern
    }
  }
}

@Suite("Random predicates in two stores")
struct PredicateDifferenceTests {
  @Test(arguments: 1...12)
  func `both stores select the same rows`(_ seed: UInt64) throws {
    let twins = try PredicateTwins(seed: seed)
    var writer = PredicateWriter(seed: seed &* 7919)
    var (translated, compared) = (0, 0)
    for _ in 0..<150 {
      let format = writer.predicate("Author", depth: 2)
      let predicate = try FetchPredicate(parsing: format)
      let condition = try twins.condition("Author", predicate)
      if condition.residual == nil { translated += 1 }
      let query = twins.query("Author", predicate)
      let expected = PredicateTwins.answer(twins.memory, query)
      guard !expected.hasPrefix("error") else { continue }
      compared += 1
      #expect(
        PredicateTwins.answer(twins.sqlite, query) == expected,
        "seed \(seed): \(format) as \(condition.sql)"
      )
    }
    #expect(translated > 110 && compared > 110, "seed \(seed): \(compared)")
  }
}
