// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension String {
  /// The text without anything that could steer a terminal: control characters and the characters
  /// that reorder text become visible escapes such as `\n` or `\u{1B}`.
  ///
  /// The result is one line. It is for people; data for programs goes through ``JSONValue``.
  public var escapedForTerminal: String {
    guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.steersTerminal {
        result += scalar.visibleEscape
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The lines of the text, each with escapes as in ``escapedForTerminal``; tabs become two spaces.
  public var linesEscapedForTerminal: [String] {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { line in
        line.split(separator: "\t", omittingEmptySubsequences: false)
          .map { String($0).escapedForTerminal }
          .joined(separator: "  ")
      }
  }
}

extension Unicode.Scalar {
  /// Whether a terminal may act on the scalar instead of showing it.
  var steersTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: true  // C0, delete and C1 control characters
    case 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x061C: true  // text direction, lines
    default: false
    }
  }

  fileprivate var visibleEscape: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }
}
