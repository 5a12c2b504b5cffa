// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Patterns of `LIKE`.
///
/// Safe because buffers are read only during the call, and their length is respected.
extension TextMatcher {
  /// Whether a whole text matches a pattern: `?` is one Unicode scalar, `*` any number of them, a
  /// backslash makes the next character an ordinary one.
  package static func isLike(
    _ text: UnsafeBufferPointer<UInt8>,
    _ pattern: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions = []
  ) -> Bool {
    let options = options.effective
    if options.isEmpty || (isASCII(text) && isASCII(pattern)) {
      let foldsCase = options.contains(.caseInsensitive)
      return FoldedBytes(bytes: text, foldsCase: foldsCase)
        .isLike(FoldedBytes(bytes: pattern, foldsCase: foldsCase))
    }
    let whole = String(decoding: text, as: UTF8.self)
    let signs = quoting(String(decoding: pattern, as: UTF8.self), options)
    return withUTF8(fold(whole, options), fold(signs, options)) { text, pattern in
      let hasOne = pattern.contains(UInt8(ascii: "?"))
      return FoldedBytes(bytes: text, foldsCase: false).isLike(
        FoldedBytes(bytes: pattern, foldsCase: false),
        starts: hasOne ? starts(of: whole, in: text, options) : nil
      )
    }
  }

  /// A pattern whose full-width signs stay ordinary characters when they are folded: `＊` is not `*`.
  private static func quoting(_ pattern: String, _ options: StringComparisonOptions) -> String {
    guard options.contains(.widthInsensitive) else { return pattern }
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if !isEscaped, scalar == "＊" || scalar == "？" || scalar == "＼" { result.append("\\") }
      isEscaped = !isEscaped && scalar == "\\"
      result.append(scalar)
    }
    return String(result)
  }

  /// At which bytes of a folded text the scalars of the text begin: `ß` becomes two, and is one.
  ///
  /// - Returns: `nil` when case counts, or when the scalars cannot be told apart in what has become of them.
  private static func starts(
    of text: String,
    in folded: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions
  ) -> [Bool]? {
    // Only case makes several scalars of one.
    guard options.contains(.caseInsensitive) else { return nil }
    var starts = [Bool](repeating: false, count: folded.count)
    var position = 0
    for scalar in text.unicodeScalars {
      let staysSame = scalar.isASCII && !scalar.properties.isUppercase
      let piece = staysSame ? String(scalar) : fold(String(scalar), options)
      // A diacritic that has been dropped has no place.
      guard !piece.isEmpty, folded[position...].starts(with: piece.utf8) else { continue }
      starts[position] = true
      position += piece.utf8.count
    }
    return position == folded.count ? starts : nil
  }
}
