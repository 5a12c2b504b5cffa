// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A set of keys that says quickly of most others that they are not in it.
///
/// A list of a hundred thousand rows is held against it for one change: a look-up in a small table of
/// bits costs a fraction of one in the set.
struct KeyFilter {
  private let keys: Set<Int64>
  private let bits: [UInt64]
  private let mask: Int

  init(_ keys: Set<Int64>) {
    self.keys = keys
    var size = 1_024
    while size < keys.count * 16, size < 1 << 20 { size *= 2 }
    mask = size - 1
    var bits = [UInt64](repeating: 0, count: size / 64)
    for key in keys {
      let bit = Int(truncatingIfNeeded: key) & (size - 1)
      bits[bit >> 6] |= 1 << UInt64(bit & 63)
    }
    self.bits = bits
  }

  @inline(__always)
  func contains(_ key: Int64) -> Bool {
    let bit = Int(truncatingIfNeeded: key) & mask
    return bits[bit >> 6] & 1 << UInt64(bit & 63) != 0 && keys.contains(key)
  }
}
