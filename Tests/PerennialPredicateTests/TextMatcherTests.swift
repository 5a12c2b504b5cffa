// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate
import RandomTesting
import Testing

@Suite("Text operators on bytes")
struct TextMatcherTests {
  private typealias Bytes = UnsafeBufferPointer<UInt8>

  // Safe because the buffers are used only inside the closures that lend them.
  private func call<Result>(_ a: String, _ b: String, _ body: (Bytes, Bytes) -> Result) -> Result {
    Array(a.utf8).withUnsafeBufferPointer { a in
      Array(b.utf8).withUnsafeBufferPointer { b in body(a, b) }
    }
  }

  /// A matcher so simple that it is right: all ways to match a star are tried.
  private func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>)
    -> Bool
  {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == "*" {
      return text.indices.contains { isLike(text[$0...], rest) } || isLike([], rest)
    }
    guard let head = text.first else { return false }
    return (first == "?" || first == head) && isLike(text.dropFirst(), rest)
  }

  @Test(arguments: 1...10)
  func `LIKE agrees with the simplest matcher`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        ["a", "b", "é", "😀"].randomElement(using: &random) ?? "a"
      }.joined()
      let pattern = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        ["a", "é", "*", "?", "*"].randomElement(using: &random) ?? "a"
      }.joined()
      let expected = isLike(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
      #expect(
        call(text, pattern) { TextMatcher.isLike($0, $1) } == expected,
        "seed \(seed): \(text) LIKE \(pattern)"
      )
    }
  }

  @Test(
    arguments: [
      ("ß", "?", .caseInsensitive, true), ("ß", "??", .caseInsensitive, false),
      ("ß", "s?", .caseInsensitive, false), ("ß", "s*", .caseInsensitive, true),
      ("Straße", "STRA?E", .caseInsensitive, true), ("Straße", "stra??e", .caseInsensitive, false),
      ("Straße", "STRASSE", .caseInsensitive, true), ("STRASSE", "straße", .caseInsensitive, true),
      ("aß", "*?", .caseInsensitive, true), ("ßb", "?*b", .caseInsensitive, true),
      ("ßé", "??", [.caseInsensitive, .diacriticInsensitive], true),
      ("e\u{301}ß", "??", [.caseInsensitive, .diacriticInsensitive], true),
      ("e\u{301}", "??", .caseInsensitive, true), ("e\u{301}", "?", .caseInsensitive, false),
      ("e\u{301}", "?", .diacriticInsensitive, true),
    ] as [(String, String, StringComparisonOptions, Bool)]
  )
  func `a question mark is one scalar of the text, not of what folding makes of it`(
    _ text: String,
    _ pattern: String,
    _ options: StringComparisonOptions,
    _ expected: Bool
  ) {
    #expect(call(text, pattern) { TextMatcher.isLike($0, $1, options) } == expected)
  }

  @Test(
    arguments: [
      ("x", "＊", false), ("＊", "＊", true), ("*", "＊", true), ("x", "？", false),
      ("？", "？", true), ("＼", "＼", true), ("＊", "\\＊", true), ("ａｂ", "a*", true),
      ("x＊", "*＊", true), ("xy", "x＊", false),
    ]
  )
  func `a full-width sign is an ordinary character of a pattern`(
    _ text: String,
    _ pattern: String,
    _ expected: Bool
  ) {
    #expect(call(text, pattern) { TextMatcher.isLike($0, $1, .widthInsensitive) } == expected)
  }

  @Test(arguments: 1...10)
  func `folding ASCII alone gives the same answers as folding everything`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "A", "b", "B", "z", "Z", "@", "[", "`", "{", "0", "_"]
    for _ in 0..<200 {
      let words = (0..<2).map { _ in
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
          letters.randomElement(using: &random) ?? "a"
        }.joined()
      }
      let options: StringComparisonOptions = [.caseInsensitive, .diacriticInsensitive]
      // A letter outside ASCII on both ends sends the texts the other way.
      let slow = words.map { "é" + $0 }
      #expect(
        call(words[0], words[1]) { TextMatcher.order($0, $1, options) }
          == call(slow[0], slow[1]) { TextMatcher.order($0, $1, options) },
        "seed \(seed): \(words)"
      )
      #expect(
        call(words[0], words[1]) { TextMatcher.isEqual($0, $1, options) }
          == call(slow[0], slow[1]) { TextMatcher.isEqual($0, $1, options) },
        "seed \(seed): \(words)"
      )
    }
  }

  @Test(arguments: 1...10)
  func `a part is found where a look at every place finds it`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes: [UInt8] = [0, 0x20, 0x40, 0x41, 0x46, 0x5B, 0x60, 0x61, 0x66, 0x7B, 0x7F]
    func text(_ counts: ClosedRange<Int>, _ random: inout SeededGenerator) -> [UInt8] {
      (0..<Int.random(in: counts, using: &random)).map { _ in
        bytes.randomElement(using: &random) ?? 0
      }
    }
    func folded(_ bytes: [UInt8]) -> [UInt8] {
      bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
    for _ in 0..<500 {
      let whole = text(0...40, &random)
      let part = text(1...3, &random)
      for options in [[], StringComparisonOptions.caseInsensitive] {
        let (a, b) = options.isEmpty ? (whole, part) : (folded(whole), folded(part))
        let expected =
          b.count <= a.count
          && (0...a.count - b.count).contains { a[$0..<$0 + b.count].elementsEqual(b) }
        let found = whole.withUnsafeBufferPointer { whole in
          part.withUnsafeBufferPointer { TextMatcher.contains(whole, $0, options) }
        }
        #expect(found == expected, "seed \(seed): \(whole) contains \(part)")
      }
    }
  }

  @Test(
    arguments: [[], .caseInsensitive, .diacriticInsensitive, .localized]
      as [StringComparisonOptions]
  )
  func `an empty part is never found`(_ options: StringComparisonOptions) {
    for text in ["", "a", "é"] {
      #expect(!call(text, "") { TextMatcher.contains($0, $1, options) })
      #expect(!call(text, "") { TextMatcher.hasPrefix($0, $1, options) })
      #expect(!call(text, "") { TextMatcher.hasSuffix($0, $1, options) })
    }
  }

  @Test
  func `normalized text is compared by bytes whatever else is said`() {
    #expect(!call("a", "A") { TextMatcher.isEqual($0, $1, [.normalized, .caseInsensitive]) })
  }

  @Test
  func `the current locale's options work`() {
    #expect(
      call("Émile", "emile") {
        TextMatcher.isEqual($0, $1, [.localized, .caseInsensitive, .diacriticInsensitive])
      }
    )
    #expect(
      call("L'Émile", "emi") {
        TextMatcher.contains($0, $1, [.localized, .caseInsensitive, .diacriticInsensitive])
      }
    )
  }
}
