// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The argument `inverse:` of `@Relationship`.
enum Inverse: Equatable {
  /// A key path such as `\Author.commits`, and the property's name in it.
  case keyPath(String, property: String)
  /// A key path without a class, such as `\.commits`.
  case rootless
  /// A key path over more than one property.
  case tooLong
  /// Any other expression: a string.
  case expression(String)

  /// Reads the argument's text.
  init(_ text: String) {
    guard text.hasPrefix("\\") else {
      self = .expression(text)
      return
    }
    let components = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
    guard let root = components.first, !root.isEmpty else {
      self = .rootless
      return
    }
    // Between a module or an outer type and the property, names of types begin with no small letter.
    let inner = components.dropFirst().dropLast()
    guard components.count > 1, let property = components.last, !property.isEmpty,
      !inner.contains(where: { $0.first?.isLowercase == true }),
      property.utf8.allSatisfy({ Scanner.isWordByte($0) || $0 == UInt8(ascii: "`") })
    else {
      self = .tooLong
      return
    }
    self = .keyPath(text, property: property.filter { $0 != "`" })
  }
}
