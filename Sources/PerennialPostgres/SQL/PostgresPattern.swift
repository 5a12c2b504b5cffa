// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Patterns that the server understands as we do.
enum PostgresPattern {
  /// A pattern of our `LIKE` as one of the server's, whose wildcards are `%` and `_`.
  static func like(_ pattern: String) -> String {
    var result = String.UnicodeScalarView()
    func append(_ scalar: Unicode.Scalar) {
      if scalar == "%" || scalar == "_" || scalar == "\\" { result.append("\\") }
      result.append(scalar)
    }
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        append(scalar)
        isEscaped = false
      } else {
        switch scalar {
        case "\\": isEscaped = true
        case "*": result.append("%")
        case "?": result.append("_")
        default: append(scalar)
        }
      }
    }
    // A backslash at the very end is an ordinary character.
    if isEscaped { append("\\") }
    return String(result)
  }

  /// Whether a regular expression, which must match all of a text, means the same to ICU and to the server.
  ///
  /// These do: characters, lists of ASCII letters and digits in brackets, `.*` and `.+`, choices, and groups; each with
  /// one of `*`, `+`, `?` and numbers up to 255 in braces behind it, a group when there is none of them in it. A dot alone
  /// and lists of what is not wanted differ: to ICU, CR and LF together are one character.
  static func isShared(_ pattern: String) -> Bool {
    var reader = Reader(Array(pattern.unicodeScalars))
    return reader.readChoice(depth: 0) != nil && reader.isAtEnd
  }
}

/// Reads a regular expression as far as it is shared.
private struct Reader {
  /// What a backslash makes an ordinary character.
  private static let specials = Array(".^$*+?()[]{}|\\/-".unicodeScalars)

  private let scalars: [Unicode.Scalar]
  private var place = 0

  init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

  var isAtEnd: Bool { place == scalars.count }

  private var next: Unicode.Scalar? { isAtEnd ? nil : scalars[place] }

  /// Reads branches with something in each of them.
  ///
  /// - Returns: Whether something is repeated in them, or `nil` when one is not shared.
  mutating func readChoice(depth: Int) -> Bool? {
    guard depth < 20 else { return nil }
    var repeats = false
    while true {
      var isEmpty = true
      while let scalar = next, scalar != "|", scalar != ")" {
        guard let isRepeated = readPiece(depth: depth) else { return nil }
        repeats = repeats || isRepeated
        isEmpty = false
      }
      guard !isEmpty else { return nil }
      guard next == "|" else { return repeats }
      place += 1
    }
  }

  /// Reads an atom and how often it comes.
  private mutating func readPiece(depth: Int) -> Bool? {
    guard let scalar = next else { return nil }
    place += 1
    switch scalar {
    case "(":
      guard next != "?", let repeats = readChoice(depth: depth + 1), next == ")" else { return nil }
      place += 1
      guard let isRepeated = readRepetition() else { return nil }
      return repeats && isRepeated ? nil : repeats || isRepeated
    case "[": return readList() ? readRepetition() : nil
    case ".":
      guard next == "*" || next == "+" else { return nil }
      return readRepetition()
    case "\\":
      guard let escaped = next, Self.specials.contains(escaped) else { return nil }
      place += 1
      return readRepetition()
    case "^", "$", "*", "+", "?", "{", "}", "]": return nil
    default: return scalar.value >= 0x20 ? readRepetition() : nil
    }
  }

  /// Reads what says how often the piece comes, if something does; `nil` when that is not shared.
  private mutating func readRepetition() -> Bool? {
    switch next {
    case "*"?, "+"?, "?"?: place += 1
    case "{"?:
      place += 1
      guard let least = readNumber() else { return nil }
      if next == "," {
        place += 1
        if next != "}" {
          guard let most = readNumber(), most >= least else { return nil }
        }
      }
      guard next == "}" else { return nil }
      place += 1
    default: return false
    }
    // A second one would make it greedy in one way or another.
    switch next {
    case "*"?, "+"?, "?"?, "{"?: return nil
    default: return true
    }
  }

  private mutating func readNumber() -> Int? {
    var number: Int?
    while let scalar = next, let digit = Int(String(scalar)), scalar.isASCII, number ?? 0 <= 255 {
      number = (number ?? 0) * 10 + digit
      place += 1
    }
    return number.flatMap { $0 <= 255 ? $0 : nil }
  }

  /// Reads a list of letters, digits and ranges of them, behind its bracket.
  private mutating func readList() -> Bool {
    var isEmpty = true
    while let first = next, first != "]" {
      place += 1
      guard let kind = Self.kind(of: first) else { return false }
      isEmpty = false
      guard next == "-" else { continue }
      place += 1
      guard let last = next, Self.kind(of: last) == kind, first.value <= last.value else {
        return false
      }
      place += 1
    }
    guard next == "]", !isEmpty else { return false }
    place += 1
    return true
  }

  /// Small letters, capitals, digits, the underscore; `nil` for anything else.
  private static func kind(of scalar: Unicode.Scalar) -> Int? {
    switch scalar {
    case "a"..."z": 0
    case "A"..."Z": 1
    case "0"..."9": 2
    case "_": 3
    default: nil
    }
  }
}
