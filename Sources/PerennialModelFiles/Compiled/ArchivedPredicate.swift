// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// Writes archived `NSPredicate`s and `NSExpression`s as text of the format language.
///
/// The numbers are those of Foundation's public enumerations: `NSComparisonPredicate.Operator`,
/// `NSComparisonPredicate.Modifier`, `NSCompoundPredicate.LogicalType` and
/// `NSExpression.ExpressionType`. What is not known gives `nil`, never a guess.
enum ArchivedPredicate {
  /// Conditions nest so deep at most.
  private static let deepest = 64

  /// The text of a condition.
  static func text(_ value: ArchivedValue, depth: Int = 0) -> String? {
    guard depth < deepest else { return nil }
    switch value.className {
    case "NSTruePredicate": return "TRUEPREDICATE"
    case "NSFalsePredicate": return "FALSEPREDICATE"
    case "NSCompoundPredicate": return compound(value, depth: depth)
    case "NSComparisonPredicate": return comparison(value, depth: depth)
    default: return nil
    }
  }

  /// The text of a derived attribute's expression, as model files have it.
  static func derivation(_ value: ArchivedValue) -> String? {
    guard value.className == "NSFunctionExpression",
      let selector = value["NSSelectorName"]?.string
    else { return expression(value, depth: 0) }
    guard let operation = ["count:", "sum:", "min:", "max:", "average:"].firstIndex(of: selector)
    else {
      // What a text is prepared from is a plain key path, in which no word is reserved.
      return expression(value, depth: 0)?.replacing("#", with: "")
    }
    let arguments = value.list("NSArguments")
    guard arguments.count == 1, let path = expression(arguments[0], depth: 0) else { return nil }
    return path + "." + ["@count", "@sum", "@min", "@max", "@avg"][operation]
  }

  private static func compound(_ value: ArchivedValue, depth: Int) -> String? {
    var parts: [String] = []
    for part in value.list("NSSubpredicates") {
      guard let text = text(part, depth: depth + 1) else { return nil }
      parts.append(part.className == "NSCompoundPredicate" ? "(\(text))" : text)
    }
    switch value.integer("NSCompoundPredicateType") {
    case 0: return parts.count == 1 ? "NOT (\(parts[0]))" : nil
    case 1: return parts.isEmpty ? "TRUEPREDICATE" : parts.joined(separator: " AND ")
    case 2: return parts.isEmpty ? "FALSEPREDICATE" : parts.joined(separator: " OR ")
    default: return nil
    }
  }

  private static let operators: [Int64: String] = [
    0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE", 8: "BEGINSWITH",
    9: "ENDSWITH", 10: "IN", 99: "CONTAINS", 100: "BETWEEN",
  ]

  private static func comparison(_ value: ArchivedValue, depth: Int) -> String? {
    guard let left = value["NSLeftExpression"].flatMap({ expression($0, depth: depth + 1) }),
      let right = value["NSRightExpression"].flatMap({ expression($0, depth: depth + 1) }),
      let comparator = value["NSPredicateOperator"],
      let sign = operators[comparator.integer("NSOperatorType")]
    else { return nil }
    let modifiers = ["", "ALL ", "ANY "]
    let modifier = Int(clamping: comparator.integer("NSModifier"))
    let flags = (comparator["NSOptions"] ?? comparator["NSFlags"])?.integer ?? 0
    guard modifiers.indices.contains(modifier), (0..<16).contains(flags) else { return nil }
    let letters = zip("cdnl", [1, 2, 4, 8]).filter { flags & $0.1 != 0 }.map(\.0)
    let options = letters.isEmpty ? "" : "[\(String(letters))]"
    return "\(modifiers[modifier])\(left) \(sign)\(options) \(right)"
  }

  // MARK: Values

  private static func expression(_ value: ArchivedValue, depth: Int) -> String? {
    guard depth < deepest else { return nil }
    switch value["NSExpressionType"]?.integer {
    case 0: return constant(value, depth: depth)
    case 1: return "SELF"
    case 2: return value["NSVariable"]?.string.map { "$" + $0 }
    case 3, 4:
      return value.className == "NSKeyPathExpression"
        ? keyPath(value, depth: depth) : function(value, depth: depth)
    case 10: return value["NSKeyPath"]?.string.map(ExpressionNode.format(ofKeyPath:))
    case 14:
      var parts: [String] = []
      for part in value.list("NSCollection") {
        guard let text = expression(part, depth: depth + 1) else { return nil }
        parts.append(text)
      }
      return "{" + parts.joined(separator: ", ") + "}"
    default: return nil
    }
  }

  private static func constant(_ value: ArchivedValue, depth: Int) -> String? {
    guard let constant = value["NSConstantValue"] else {
      return value["NSConstantValueClassName"] == nil ? "nil" : nil
    }
    return literal(constant, depth: depth + 1)
  }

  private static func literal(_ value: ArchivedValue, depth: Int) -> String? {
    guard depth < deepest else { return nil }
    if let text = value.string { return "'" + text.escaping("\\", "'", with: "\\") + "'" }
    if let integer = value.integer { return "\(integer)" }
    if let number = value.number { return number.isFinite ? "\(number)" : nil }
    guard ["NSArray", "NSMutableArray", "NSSet", "NSMutableSet"].contains(value.className) else {
      return nil
    }
    var parts: [String] = []
    for element in value.elements {
      guard let text = literal(element, depth: depth + 1) else { return nil }
      parts.append(text)
    }
    return "{" + parts.joined(separator: ", ") + "}"
  }

  private static func keyPath(_ value: ArchivedValue, depth: Int) -> String? {
    let arguments = value.list("NSArguments")
    guard arguments.count == 1, let path = expression(arguments[0], depth: depth + 1),
      let operand = value["NSOperand"], let root = expression(operand, depth: depth + 1)
    else { return nil }
    return root == "SELF" ? path : "\(root).\(path)"
  }

  private static let signs = [
    "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/",
  ]

  private static func function(_ value: ArchivedValue, depth: Int) -> String? {
    var arguments: [String] = []
    for argument in value.list("NSArguments") {
      guard let text = expression(argument, depth: depth + 1) else { return nil }
      arguments.append(text)
    }
    switch value["NSSelectorName"]?.string {
    case "now": return arguments.isEmpty ? "now()" : nil
    case .some(let name) where name == "canonical:" || name == "lowercase:" || name == "uppercase:":
      return arguments.count == 1 ? "\(name)(\(arguments[0]))" : nil
    case .some(let name):
      guard let sign = signs[name], arguments.count == 2 else { return nil }
      return "(\(arguments[0]) \(sign) \(arguments[1]))"
    case nil: return nil
    }
  }
}
