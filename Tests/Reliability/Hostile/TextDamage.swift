// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What can happen to a text of words, numbers and quoted texts that leaves most of it readable.
enum TextDamage {
  /// Damages a text in one to three places.
  static func damage(_ text: inout [UInt8], _ words: [[UInt8]], _ chance: inout Chance) {
    for _ in 0...chance.below(3) where !text.isEmpty { damageOnce(&text, words, &chance) }
  }

  private static func damageOnce(
    _ text: inout [UInt8],
    _ words: [[UInt8]],
    _ chance: inout Chance
  ) {
    let token = token(in: text, at: chance.below(text.count))
    switch chance.below(8) {
    case 0: text.removeSubrange(token)
    case 1:
      let other = Self.token(in: text, at: chance.below(text.count))
      text.replaceSubrange(token, with: Array(text[other]))
    case 2: text.insert(contentsOf: chance.one(of: words), at: token.lowerBound)
    case 3:
      text.insert(
        contentsOf: Array(text[line(in: text, at: token.lowerBound)]),
        at: token.lowerBound
      )
    case 4: text.removeSubrange(line(in: text, at: token.lowerBound))
    case 5:
      let line = line(in: text, at: token.lowerBound)
      text.insert(contentsOf: Array(text[line]), at: line.upperBound)
    default: text.replaceSubrange(token, with: chance.one(of: words))
    }
  }

  /// The word, number or quoted text at a place, or the sign there.
  private static func token(in text: [UInt8], at place: Int) -> Range<Int> {
    var start = place
    var end = place + 1
    guard isPart(text[place]) else { return start..<end }
    while start > 0, isPart(text[start - 1]) { start -= 1 }
    while end < text.count, isPart(text[end]) { end += 1 }
    if start > 0, end < text.count, text[start - 1] == text[end], text[end] == UInt8(ascii: "\"") {
      return (start - 1)..<(end + 1)
    }
    return start..<end
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "+"), 0x80...:
      true
    default: false
    }
  }

  private static func line(in text: [UInt8], at place: Int) -> Range<Int> {
    let feed = UInt8(ascii: "\n")
    let start = text[..<place].lastIndex(of: feed).map { $0 + 1 } ?? 0
    let end = text[place...].firstIndex(of: feed).map { $0 + 1 } ?? text.count
    return start..<end
  }
}
