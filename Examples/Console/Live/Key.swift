// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A key of a live list.
public enum Key: Sendable, Hashable {
  /// Ends the list: `q`.
  case quit
  /// Ends the list as an interruption: Ctrl-C.
  case interrupt
  /// A line up: the arrow or `k`.
  case up
  /// A line down: the arrow or `j`.
  case down
  /// A screen up.
  case pageUp
  /// A screen down, or the space bar.
  case pageDown
  /// To the first line, or `g`.
  case home
  /// To the last line, or `G`.
  case end
}

extension Key {
  private static let sequences: [[UInt8]: Key] = [
    Array("q".utf8): .quit, [3]: .interrupt, Array("k".utf8): .up, Array("j".utf8): .down,
    Array(" ".utf8): .pageDown, Array("g".utf8): .home, Array("G".utf8): .end,
    escape("[A"): .up, escape("[B"): .down, escape("OA"): .up, escape("OB"): .down,
    escape("[5~"): .pageUp, escape("[6~"): .pageDown, escape("[H"): .home, escape("[F"): .end,
    escape("OH"): .home, escape("OF"): .end, escape("[1~"): .home, escape("[4~"): .end,
  ]

  /// The keys of what a terminal sent at once; what is no key of a list is left out.
  public static func keys(in bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let length = (1...4).reversed().first { sequences[Array(rest.prefix($0))] != nil } ?? 1
      if let key = sequences[Array(rest.prefix(length))] { keys.append(key) }
      // The rest of an unknown sequence would be read as letters.
      let isUnknownSequence = length == 1 && rest.first == 0x1B
      rest = isUnknownSequence ? [] : rest.dropFirst(length)
    }
    return keys
  }

  private static func escape(_ text: String) -> [UInt8] { [0x1B] + Array(text.utf8) }
}
