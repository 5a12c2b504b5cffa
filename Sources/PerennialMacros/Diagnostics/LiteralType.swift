// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The type that an initial value gives away, for the fix-it of a property without a type.
enum LiteralType {
  /// Guesses a type.
  ///
  /// - Parameter initialValue: An expression.
  /// - Returns: The type's name; `nil` when the expression is not obvious.
  static func guess(_ initialValue: String?) -> String? {
    guard let value = initialValue, let first = value.first else { return nil }
    if value == "true" || value == "false" { return "Bool" }
    if first == "\"" || first == "#" { return value.last == first ? "String" : nil }
    let digits = value.first == "-" ? value.dropFirst() : value[...]
    return digits.first?.isNumber == true ? number(String(digits)) : constructed(value)
  }

  /// The type of `1_000`, `0xFF` or `1.5`.
  private static func number(_ literal: String) -> String? {
    let digits = literal.filter { $0 != "_" }
    let radix = ["0x": 16, "0o": 8, "0b": 2][String(digits.prefix(2))]
    // The exponent of a hexadecimal fraction begins with a p.
    if let radix, !digits.contains(where: { ".pP".contains($0) }) {
      return Int(digits.dropFirst(2), radix: radix) == nil ? nil : "Int"
    }
    if Int(digits) != nil { return "Int" }
    return Double(digits) == nil ? nil : "Double"
  }

  /// The type of `Date()` or `Date.now`.
  private static func constructed(_ value: String) -> String? {
    let name = value.prefix { $0.isLetter || $0.isNumber }
    guard name.first?.isUppercase == true, !name.isEmpty else { return nil }
    let rest = value.dropFirst(name.count)
    let isCall = rest.first == "(" && rest.last == ")" && !rest.dropLast().contains(")")
    return isCall || value == "Date.now" ? String(name) : nil
  }
}
