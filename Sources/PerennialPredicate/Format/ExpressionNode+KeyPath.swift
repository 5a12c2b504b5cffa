// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension ExpressionNode {
  /// A key path as a format has it.
  ///
  /// In a format a key that is a reserved word, `size` for instance, has a `#` before it; in a key path that was read from an
  /// archive it has none.
  ///
  /// - Parameter path: Keys with points between them, and operators such as `@count`.
  /// - Returns: The text.
  package static func format(ofKeyPath path: String) -> String {
    path.split(separator: ".", omittingEmptySubsequences: false).map { key in
      key.hasPrefix("@") || key.lowercased() == "self"
        ? String(key) : FormatPrinter.name(String(key))
    }
    .joined(separator: ".")
  }
}
