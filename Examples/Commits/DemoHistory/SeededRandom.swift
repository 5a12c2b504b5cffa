// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Random numbers that are the same for the same seed on every system and in every version.
///
/// SplitMix64 by Guy Steele, Doug Lea and Christine Flood.
struct SeededRandom {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// A number from 0 up to, but not including, a bound above 0.
  mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Whether an event with a chance of some percent happens.
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of some elements, of which there is at least one.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
