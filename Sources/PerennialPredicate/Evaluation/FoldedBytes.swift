// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// UTF-8 bytes that are compared as they are, or with ASCII capitals as small letters.
///
/// Safe because a value lives only inside the closure that lends the buffer, and words of eight bytes
/// are read only where there are eight.
struct FoldedBytes {
  let bytes: UnsafeBufferPointer<UInt8>
  let foldsCase: Bool

  private var count: Int { bytes.count }

  private subscript(index: Int) -> UInt8 {
    let byte = bytes[index]
    return foldsCase && byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  func isEqual(_ other: FoldedBytes) -> Bool { count == other.count && matches(other, at: 0) }

  func order(_ other: FoldedBytes) -> Int {
    for index in 0..<min(count, other.count) where self[index] != other[index] {
      return self[index] < other[index] ? -1 : 1
    }
    return count < other.count ? -1 : count > other.count ? 1 : 0
  }

  func hasPrefix(_ part: FoldedBytes) -> Bool { part.count <= count && matches(part, at: 0) }

  func hasSuffix(_ part: FoldedBytes) -> Bool {
    part.count <= count && matches(part, at: count - part.count)
  }

  func contains(_ part: FoldedBytes) -> Bool {
    guard part.count <= count, part.count > 0 else { return false }
    let first = part[0]
    let last = count - part.count
    let isLetter = foldsCase && first &- 0x61 < 26
    let wanted = Self.everyByte * UInt64(first)
    let capitals = isLetter ? Self.everyByte * 0x20 : 0
    var start = 0
    while start + 8 <= count, start <= last {
      let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: start, as: UInt64.self)
      let difference = (UInt64(littleEndian: word) | capitals) ^ wanted
      // The high bit of each byte that is zero, and perhaps of some behind it.
      var found = (difference &- Self.everyByte) & ~difference & (Self.everyByte << 7)
      while found != 0 {
        let place = start + found.trailingZeroBitCount / 8
        if place <= last, matches(part, at: place) { return true }
        found &= found - 1
      }
      start += 8
    }
    while start <= last {
      if matches(part, at: start) { return true }
      start += 1
    }
    return false
  }

  /// One in each of eight bytes.
  private static let everyByte: UInt64 = 0x0101_0101_0101_0101

  private func matches(_ part: FoldedBytes, at start: Int) -> Bool {
    for index in 0..<part.count where self[start + index] != part[index] { return false }
    return true
  }

  /// Whether the whole text matches a pattern.
  ///
  /// A star first takes nothing; on a mismatch the last
  /// star takes one scalar more. A question mark takes one scalar of the text before it was folded:
  /// `starts` says for each byte whether one begins there; without it one scalar of what was folded is taken.
  func isLike(_ pattern: FoldedBytes, starts: [Bool]? = nil) -> Bool {
    var position = 0
    var place = 0
    var retry: (position: Int, place: Int)?
    while position < count {
      if place < pattern.count, pattern.bytes[place] == UInt8(ascii: "*") {
        place += 1
        retry = (position, place)
      } else if place < pattern.count, pattern.bytes[place] == UInt8(ascii: "?"),
        starts?[position] != false
      {
        place += 1
        position = endOfScalar(at: position, starts)
      } else if let next = pattern.literal(at: place), pattern[next] == self[position] {
        place = next + 1
        position += 1
      } else if let last = retry {
        position = endOfScalar(at: last.position)
        place = last.place
        retry = (position, place)
      } else {
        return false
      }
    }
    return pattern.bytes[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  /// Where the literal character at a place of a pattern stands.
  ///
  /// That is behind its backslash if it has one. A backslash at the very end is an ordinary
  /// character.
  private func literal(at place: Int) -> Int? {
    guard place < count else { return nil }
    return bytes[place] == UInt8(ascii: "\\") && place + 1 < count ? place + 1 : place
  }

  private func endOfScalar(at position: Int, _ starts: [Bool]? = nil) -> Int {
    var end = position + 1
    if let starts {
      while end < count, !starts[end] { end += 1 }
    } else {
      while end < count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    }
    return end
  }
}
