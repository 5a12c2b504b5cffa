// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What SQLite refuses to compile, watched before it is asked.
///
/// SQLite: "Implementation Limits". Its parser, before version 3.46, has a stack of 100 entries:
/// eleven subqueries in each other fill it.
struct SQLLimits {
  /// The greatest number of parameters, some of SQLite's 32,766 left for the rest of the query.
  static let bindingCount = 32_000
  /// The greatest number of conditions in one chain, of 1,000 levels in an expression.
  static let chainLength = 32
  private static let byteCount = 500_000
  private static let parserCost = 75

  private var bindings = 0
  private var bytes = 0

  /// Whether another condition still fits beside those admitted before.
  mutating func admit(_ condition: ConditionText) -> Bool {
    let bindings = bindings + condition.bindings.count
    let bytes = bytes + condition.sql.utf8.count
    guard bindings <= Self.bindingCount, bytes <= Self.byteCount,
      Self.parserCost(of: condition.sql) <= Self.parserCost
    else { return false }
    (self.bindings, self.bytes) = (bindings, bytes)
    return true
  }

  /// How many entries of the parser's stack a text takes: three for a parenthesis, ten for a
  /// subquery (measured), eight for a choice.
  private static func parserCost(of sql: String) -> Int {
    var open: [Int] = []
    var cost = 0
    var greatest = 0
    let bytes = Array(sql.utf8)
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "(") {
        let rest = bytes[(index + 1)...]
        let isChoice = rest.starts(with: "CASE".utf8)
        open.append(rest.starts(with: "SELECT".utf8) ? 10 : isChoice ? 8 : 3)
        cost += open.last ?? 0
        greatest = max(greatest, cost)
      } else if byte == UInt8(ascii: ")") {
        cost -= open.popLast() ?? 0
      }
    }
    return greatest
  }
}
