// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What can happen to the values in the tags of texts in XML: each text stays XML, but says something else.
struct ValueDamage {
  /// A value between quotation marks.
  private struct Value {
    let name: [UInt8]
    let range: Range<Int>
  }

  /// A text, and its values in their order.
  private struct Page {
    let text: [UInt8]
    let values: [Value]
  }

  private let pages: [Page]
  private let strangers: [[UInt8]]

  /// Reads texts.
  ///
  /// - Parameters:
  ///   - texts: The texts, in UTF-8; each has values.
  ///   - strangers: Values, with quotation marks, that may stand anywhere.
  init(_ texts: [[UInt8]], strangers: [[UInt8]]) {
    pages = texts.map { Page(text: $0, values: Self.values(in: $0)) }
    self.strangers = strangers
  }

  /// A text, by its number, with one to three values that are others, or not there.
  func damagedText(_ number: Int, _ chance: inout Chance) -> [UInt8] {
    let page = pages[number]
    var changes: [Int: [UInt8]?] = [:]
    for _ in 0...chance.below(3) {
      let place = chance.below(page.values.count)
      changes[place] = replacement(for: page.values[place].name, in: page, &chance)
    }
    var text = page.text
    for (place, replacement) in changes.sorted(by: { $0.key > $1.key }) {
      let value = page.values[place]
      if let replacement {
        text.replaceSubrange(value.range, with: replacement)
      } else {
        // Its name and the sign between them, too.
        text.removeSubrange(
          (value.range.lowerBound - value.name.count - 1)..<value.range.upperBound
        )
      }
    }
    return text
  }

  /// What a value of a name may be instead: most often one that the name has elsewhere; nothing for none at all.
  private func replacement(for name: [UInt8], in page: Page, _ chance: inout Chance) -> [UInt8]? {
    switch chance.below(8) {
    case 0: nil
    case 1: chance.one(of: strangers)
    case 2, 3: other(of: name, in: chance.one(of: pages), &chance) ?? chance.one(of: strangers)
    default: other(of: name, in: page, &chance) ?? chance.one(of: strangers)
    }
  }

  private func other(of name: [UInt8], in page: Page, _ chance: inout Chance) -> [UInt8]? {
    let values = page.values.filter { $0.name == name }
    return values.isEmpty ? nil : Array(page.text[chance.one(of: values).range])
  }

  private static func values(in text: [UInt8]) -> [Value] {
    let mark = UInt8(ascii: "\"")
    var values: [Value] = []
    var place = 0
    while let start = text[place...].firstIndex(of: mark),
      let end = text[(start + 1)...].firstIndex(of: mark)
    {
      place = end + 1
      guard start > 0, text[start - 1] == UInt8(ascii: "=") else { continue }
      let name = text[..<(start - 1)].reversed().prefix { $0 > UInt8(ascii: " ") }
      values.append(Value(name: name.reversed(), range: start..<place))
    }
    return values
  }
}
