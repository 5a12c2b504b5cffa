// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension String {
  /// The number of terminal columns that the text takes.
  ///
  /// An estimate, as every terminal decides for itself: East Asian wide characters and emoji count
  /// two, combining marks and other invisible characters nothing, all others one.
  public var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

  /// The text cut to a number of columns, with `…` as its last column when something is missing.
  public func truncated(toWidth width: Int) -> String {
    guard width > 0 else { return "" }
    // A character takes at most two columns, so most texts need no measuring.
    if utf8.count <= width { return self }
    var used = 0
    var kept = ""
    for character in self {
      used += character.displayWidth
      if used > width { return kept.cut(toWidth: width - 1) + "…" }
      kept.append(character)
    }
    return self
  }

  /// The text followed by as many spaces as fill a number of columns.
  public func padded(toWidth width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - displayWidth))
  }

  private func cut(toWidth width: Int) -> String {
    var kept = self
    while kept.displayWidth > width { kept.removeLast() }
    return kept
  }
}

extension Character {
  var displayWidth: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.value < 0x300 { return first.value == 0xAD ? 0 : 1 }
    if first.isInvisible { return 0 }
    if first.properties.isEmojiPresentation || first.isWide { return 2 }
    return unicodeScalars.contains("\u{FE0F}") ? 2 : 1
  }
}

extension Unicode.Scalar {
  fileprivate var isInvisible: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    default: false
    }
  }

  /// Whether the scalar is in one of the blocks of wide characters (UAX #11: W and F).
  fileprivate var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
