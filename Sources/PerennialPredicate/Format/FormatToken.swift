// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A word, sign or value of a format string.
struct FormatToken {
  /// What it is.
  let kind: Kind
  /// Its bytes in the text.
  let range: Range<Int>
  /// The word in capitals when it is one that was not escaped.
  let keyword: String?

  init(kind: Kind, range: Range<Int>) {
    self.kind = kind
    self.range = range
    keyword = if case .word(let word) = kind { word.uppercased() } else { nil }
  }

  enum Kind: Equatable {
    /// A name or a keyword.
    case word(String)
    /// A name that is no keyword, because it was written with `#`.
    case escapedWord(String)
    /// Text in quotes, its escapes resolved.
    case string(String)
    /// An integer without sign.
    case integer(UInt64)
    /// A number with a fraction or an exponent.
    case double(Double)
    /// `$name`.
    case variable(String)
    /// `@name`, with the sign.
    case collectionOperator(String)
    /// `%@`, `%K`, `%d` and the like.
    case placeholder(FormatPlaceholder)
    /// A sign, one of ``signs``.
    case sign(String)
    /// The end of the text.
    case end
  }

  /// The signs that start with each byte, longer ones before their beginnings.
  static let signs: [[(text: String, bytes: [UInt8])]] = (0...UInt8.max).map { byte in
    allSigns.map { (text: $0, bytes: Array($0.utf8)) }.filter { $0.bytes[0] == byte }
  }

  private static let allSigns = [
    "===", "!==", "==", "!=", "<>", "<=", "=<", ">=", "=>", "**", "&&", "||", ":=", "=", "<", ">",
    "!", "+", "-", "*", "/", "&", "|", "^", "(", ")", "{", "}", "[", "]", ",", ".",
  ]

  func isSign(_ sign: String) -> Bool { kind == .sign(sign) }

  /// Whether it is text in quotes that is written like a placeholder.
  var isQuotedPlaceholder: Bool {
    guard case .string(let text) = kind else { return false }
    return ["%@", "%K", "%d", "%ld", "%i", "%f", "%s"].contains(text)
  }
}

/// What a placeholder takes from the arguments.
enum FormatPlaceholder: Hashable {
  /// `%@`: any value.
  case value
  /// `%K`: a key path.
  case keyPath
  /// `%d` and the like: an integer.
  case integer
  /// `%f` and the like: a number, as a double.
  case double
  /// `%s`: text.
  case text
  /// A value of an interpolated literal.
  case interpolation
  /// A key path of an interpolated literal.
  case interpolatedKey
}

/// The words that mean something in a format string, in capitals.
enum ReservedWord {
  /// Words that name a key only when written with `#`.
  static let all: Set<String> = [
    "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI",
    "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE",
    "YES", "FALSE", "NO", "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "FETCH", "CAST",
    "TRUEPREDICATE", "FALSEPREDICATE", "UTI-CONFORMS-TO", "UTI-EQUALS",
  ]
}
