// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What can happen to bytes, whatever they mean.
enum ByteDamage {
  /// Damages bytes in one to four places.
  static func damage(_ bytes: inout [UInt8], _ chance: inout Chance) {
    for _ in 0...chance.below(4) where !bytes.isEmpty { damageOnce(&bytes, &chance) }
  }

  private static func damageOnce(_ bytes: inout [UInt8], _ chance: inout Chance) {
    switch chance.below(9) {
    case 0, 1: bytes[chance.below(bytes.count)] ^= 1 << UInt8(chance.below(8))
    case 2: bytes[chance.below(bytes.count)] = chance.byte()
    case 3: bytes[chance.below(bytes.count)] = chance.one(of: [0, 1, 0x7F, 0x80, 0xFE, 0xFF])
    case 4: bytes.removeSubrange(chance.range(in: bytes.count))
    case 5:
      let part = Array(bytes[chance.range(in: bytes.count)])
      bytes.insert(contentsOf: part, at: chance.below(bytes.count + 1))
    case 6:
      let range = chance.range(in: bytes.count)
      bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
    case 7 where chance.once(in: 4): bytes.removeLast(chance.below(bytes.count))
    case 7: bytes.insert(chance.byte(), at: chance.below(bytes.count + 1))
    default:
      // A number that says how much follows.
      let place = chance.below(bytes.count)
      let value: [UInt8] = chance.one(of: [
        [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0],
        [0xFF, 0xFF], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
      ])
      for (offset, byte) in value.enumerated() where place + offset < bytes.count {
        bytes[place + offset] = byte
      }
    }
  }
}
