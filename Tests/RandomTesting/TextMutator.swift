// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Makes texts that are nearly predicates: formats, cut, joined and damaged.
package struct TextMutator {
  private static let ownFormats: [[UInt8]] =
    [
      "a.b.@sum.c ** 2 - -3 >= 0x1F & ~b", "TERNARY(a == nil, {1, 2}, b[FIRST].c) IN $x",
      "NOT (NONE SUBQUERY(a, $x, $x.b MATCHES[cd] '.*').c == %@ || %K BEGINSWITH '\\u00e9')",
      "FUNCTION(a, 'modulus:by:', 3) == CAST('2020-01-01', 'NSDate') && b NOT IN {}",
      "(((a + 1) * (2 - b)) / c) == 1 AND ((d == 1) OR (e == 2))", "#size.#first.@count != SELF",
    ]
    .map { Array($0.utf8) }

  private static let words: [[UInt8]] = [
    "AND", "OR", "NOT", "ANY", "ALL", "NONE", "IN", "BETWEEN", "LIKE", "MATCHES", "CONTAINS",
    "SUBQUERY(", "TERNARY(", "CAST(", "FUNCTION(", "SELF", "nil", "TRUE", "a", "b.c", "#in",
    "@count",
    ".@sum", "$x", "%@", "%K", "%d", "%f", "%%", "(", ")", "{", "}", "[", "]", ",", ".", "==", "=",
    "!=", "<", "<=", "**", "+", "-", "*", "/", "&", "&&", "|", "||", "!", ":=", "'x'", "\"y\"", "'",
    "\"", "\\", "\\u", "\\x4", "\\101", "\\uD83D\\uDE00", "12", "1.5", "0x", "0xFF", "1e5", "1e",
    ".5",
    "99999999999999999999", "-9223372036854775808", "sum", "modulus:by:", "é", "\u{201C}", "\0",
    "\n",
    "[cd]", "FIRST", "SIZE", "TRUEPREDICATE", "UTI-EQUALS", "'nan'", "'NSNumber'", "'NSDate'",
    "\u{202E}", "👨‍👩‍👧", "e\u{301}", "\u{FEFF}", "now()", "random()", "ANY a.b",
  ].map { Array($0.utf8) }

  private var random: SeededGenerator

  /// The formats that texts are made of.
  private let seeds: [[UInt8]]

  /// A mutator.
  ///
  /// - Parameters:
  ///   - seed: What determines the texts.
  ///   - formats: Predicates to begin with; there are some besides.
  package init(seed: UInt64, formats: [String]) {
    random = SeededGenerator(seed: seed)
    seeds = formats.map { Array($0.utf8) } + Self.ownFormats
  }

  /// The same, beginning anew with another seed.
  package func restarted(seed: UInt64) -> TextMutator {
    var copy = self
    copy.random = SeededGenerator(seed: seed)
    return copy
  }

  /// The next text.
  package mutating func text() -> String {
    var bytes = one(of: seeds)
    for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes) }
    return String(decoding: bytes.prefix(4_000), as: UTF8.self)
  }

  private mutating func one<Element>(of values: [Element]) -> Element {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  private mutating func place(in bytes: [UInt8]) -> Int {
    Int.random(in: 0...bytes.count, using: &random)
  }

  private mutating func slice(of bytes: [UInt8]) -> Range<Int> {
    let start = place(in: bytes)
    return start..<min(bytes.count, start + Int.random(in: 0...12, using: &random))
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: bytes.removeSubrange(slice(of: bytes))
    case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place(in: bytes))
    case 2 where !bytes.isEmpty:
      bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
        1 << UInt8.random(in: 0..<8, using: &random)
    case 3: bytes.insert(contentsOf: one(of: Self.words), at: place(in: bytes))
    case 4: bytes.insert(contentsOf: [0x20] + one(of: Self.words) + [0x20], at: place(in: bytes))
    case 5: bytes.replaceSubrange(slice(of: bytes), with: one(of: Self.words))
    case 6:
      let other = one(of: seeds)
      bytes.replaceSubrange(place(in: bytes)..., with: other[place(in: other)...])
    case 7:
      let part = Array(bytes[slice(of: bytes)])
      let count = Int.random(in: 1...(one(of: [3, 3, 3, 60])), using: &random)
      bytes.insert(contentsOf: repeatElement(part, count: count).joined(), at: place(in: bytes))
    default:
      let depth = Int.random(in: 1...(one(of: [2, 2, 4, 4, 8, 8, 16, 250])), using: &random)
      let (open, close) = one(of: [
        ("(", ")"), ("{", "}"), ("NOT (", ")"), ("abs(", ")"), ("-", ""),
      ])
      let range = slice(of: bytes)
      let inner = Array(bytes[range])
      bytes.replaceSubrange(
        range,
        with: Array(String(repeating: open, count: depth).utf8) + inner
          + Array(String(repeating: close, count: depth).utf8)
      )
    }
  }

  /// Any text that a user may type, and some that none would.
  package mutating func userText() -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      if Int.random(in: 0..<3, using: &random) == 0 {
        text += String(decoding: one(of: Self.words), as: UTF8.self).unicodeScalars
      } else {
        let highest = one(of: [0x7F, 0x2FF, 0xFFFF, 0x10FFFF] as [UInt32])
        let scalar = Unicode.Scalar(UInt32.random(in: 0...highest, using: &random))
        text.append(scalar ?? "\u{FFFD}")
      }
    }
    return String(text)
  }
}
