// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The line of a text that a message points at, cut to a readable width, and the marks below it.
struct FormatExcerpt {
  /// `column 9`, with the line's number when the text has several lines.
  let position: String
  /// The line, or the part of it around the place.
  let line: String
  /// Spaces, a caret below the first character, and tildes below the others.
  let marks: String

  private static let width = 72

  init(of range: Range<Int>, in text: [UInt8]) {
    let newline = UInt8(ascii: "\n")
    let start = (text[..<range.lowerBound].lastIndex(of: newline) ?? -1) + 1
    let end = text[range.lowerBound...].firstIndex(of: newline) ?? text.count
    let before = Self.characters(text[start..<range.lowerBound])
    let marked = Self.characters(
      text[range.lowerBound..<max(range.lowerBound, min(range.upperBound, end))]
    )
    let after = Self.characters(text[min(end, range.lowerBound + range.count)..<end])

    let lineNumber = text[..<start].count { $0 == newline } + 1
    let column = "column \(before.count + 1)"
    position = text.contains(newline) ? "line \(lineNumber), \(column)" : column

    let shownBefore = before.suffix(Self.width / 2)
    let shownMarked = marked.prefix(Self.width / 2)
    let shownAfter = shownMarked.count < marked.count ? [] : after.prefix(Self.width / 2)
    let left = shownBefore.count < before.count ? "…" : ""
    let right = shownMarked.count + shownAfter.count < marked.count + after.count ? "…" : ""
    line = left + String(shownBefore) + String(shownMarked) + String(shownAfter) + right
    marks =
      String(repeating: " ", count: left.count + shownBefore.count) + "^"
      + String(repeating: "~", count: max(shownMarked.count - 1, 0))
  }

  /// The characters of bytes, each shown in one column.
  private static func characters(_ bytes: ArraySlice<UInt8>) -> [Character] {
    String(decoding: bytes, as: UTF8.self).map { character in
      character.unicodeScalars.contains { $0.properties.generalCategory == .control }
        ? " " : character
    }
  }
}
