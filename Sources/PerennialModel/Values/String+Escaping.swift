// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension String {
  /// The text with an escape before each of some marks.
  ///
  /// It goes by scalars: with a combining mark behind it, a quote is another character.
  ///
  /// - Parameters:
  ///   - marks: What is to be escaped.
  ///   - escape: What stands before it then.
  /// - Returns: The text.
  package func escaping(_ marks: Unicode.Scalar..., with escape: Unicode.Scalar) -> String {
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if marks.contains(scalar) { text.append(escape) }
      text.append(scalar)
    }
    return String(text)
  }
}
