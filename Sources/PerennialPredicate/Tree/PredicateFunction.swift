// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The functions that a predicate may call.
///
/// No other function can be reached from a format string.
///
/// Core Data: the table in `NSExpression`'s `init(forFunction:arguments:)`.
package enum PredicateFunction: String, Sendable, Hashable, Codable, CaseIterable {
  case sum
  case count
  case min
  case max
  case average
  case median
  case mode
  case stddev
  case sqrt
  case log
  case ln
  case exp
  case floor
  case ceiling
  case abs
  case trunc
  case random
  case randomn
  case now
  case uppercase
  case lowercase
  case length
  case noindex
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case power = "raise:toPower:"
  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseXor = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
  case onesComplement = "onesComplement:"
  /// The sign `-`; has no name to call it by.
  case negate = "-"

  /// How many arguments the function takes.
  var argumentCounts: ClosedRange<Int> {
    switch self {
    case .sum, .count, .min, .max, .average, .median, .mode, .stddev: 1...Int.max
    case .random, .now: 0...0
    case .add, .subtract, .multiply, .divide, .modulus, .power, .bitwiseAnd, .bitwiseOr,
      .bitwiseXor, .leftShift, .rightShift:
      2...2
    default: 1...1
    }
  }

  /// The sign between two operands and how tightly it binds, when there is one.
  var infix: (sign: String, precedence: Int)? {
    switch self {
    case .bitwiseAnd: ("&", 1)
    case .bitwiseOr: ("|", 1)
    case .bitwiseXor: ("^", 1)
    case .add: ("+", 2)
    case .subtract: ("-", 2)
    case .multiply: ("*", 3)
    case .divide: ("/", 3)
    case .power: ("**", 4)
    default: nil
    }
  }

  /// Whether equal arguments give equal results.
  package var isPure: Bool {
    switch self {
    case .random, .randomn, .now: false
    default: true
    }
  }
}

extension PredicateFunction {
  /// The function of a name, in any case, with or without its colons.
  init?(name: String) {
    guard let function = Self.byName[name.lowercased()] else { return nil }
    self = function
  }

  /// The names to suggest for a misspelt one.
  static var names: [String] { allCases.filter { $0 != .negate }.map(\.rawValue) }

  private static let byName: [String: PredicateFunction] = {
    var table = ["subtract": subtract, "raise": power, "power": power]
    for function in allCases where function != .negate {
      let name = function.rawValue.lowercased()
      table[name] = function
      guard let colon = name.firstIndex(of: ":") else {
        table[name + ":"] = function
        continue
      }
      if function != .subtract { table[String(name[..<colon])] = function }
    }
    return table
  }()
}
