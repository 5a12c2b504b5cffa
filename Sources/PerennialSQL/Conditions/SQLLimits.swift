// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What an engine refuses to compile, watched before it is asked.
package struct SQLLimits: Sendable {
  /// The greatest number of parameters, with some left for the rest of the query.
  package let bindingCount: Int
  /// The greatest number of conditions in one chain.
  package let chainLength: Int
  /// The greatest number of columns, of groups and of sorts, with some left for keys.
  package let termCount: Int
  /// The greatest number of bytes of a condition.
  package let byteCount: Int
  /// How much nesting the parser bears, counted as SQLite counts; `nil` for any.
  package let nesting: Int?
  /// Whether a text may contain NUL.
  package let takesNUL: Bool

  package init(
    bindingCount: Int,
    chainLength: Int,
    termCount: Int,
    byteCount: Int,
    nesting: Int?,
    takesNUL: Bool
  ) {
    self.bindingCount = bindingCount
    self.chainLength = chainLength
    self.termCount = termCount
    self.byteCount = byteCount
    self.nesting = nesting
    self.takesNUL = takesNUL
  }

  /// The conditions or terms of one statement, counted.
  struct Account {
    let limits: SQLLimits
    private var bindings = 0
    private var bytes = 0

    init(_ limits: SQLLimits) { self.limits = limits }

    /// Whether another text, and the values of its parameters, still fit beside those admitted before.
    mutating func admit(_ sql: String, _ values: [SQLValue]) -> Bool {
      let bindings = bindings + values.count
      let bytes = bytes + sql.utf8.count
      guard bindings <= limits.bindingCount, bytes <= limits.byteCount,
        limits.takesNUL || values.allSatisfy({ !$0.hasNUL })
      else { return false }
      if let nesting = limits.nesting, Self.nesting(of: sql) > nesting { return false }
      (self.bindings, self.bytes) = (bindings, bytes)
      return true
    }

    /// How many entries of the stack of SQLite's parser a text takes: three for a parenthesis, ten for a
    /// subquery (measured), eight for a choice.
    private static func nesting(of sql: String) -> Int {
      var open: [Int] = []
      var cost = 0
      var greatest = 0
      let bytes = Array(sql.utf8)
      for (index, byte) in bytes.enumerated() {
        if byte == UInt8(ascii: "(") {
          let rest = bytes[(index + 1)...]
          let isChoice = rest.starts(with: "CASE".utf8)
          let price = rest.starts(with: "SELECT".utf8) ? 10 : isChoice ? 8 : 3
          open.append(price)
          cost += price
          greatest = max(greatest, cost)
        } else if byte == UInt8(ascii: ")"), let price = open.popLast() {
          cost -= price
        }
      }
      return greatest
    }
  }
}

extension SQLValue {
  fileprivate var hasNUL: Bool {
    if case .text(let text) = self { text.utf8.contains(0) } else { false }
  }
}
