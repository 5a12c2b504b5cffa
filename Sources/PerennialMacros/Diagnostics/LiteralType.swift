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
    let isNumber = digits.first?.isNumber == true
    if isNumber, Int(digits.filter { $0 != "_" }) != nil { return "Int" }
    if isNumber, Double(digits.filter { $0 != "_" }) != nil { return "Double" }
    return constructed(value)
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
