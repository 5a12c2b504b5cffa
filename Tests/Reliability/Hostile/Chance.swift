// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import RandomTesting

/// Random choices that a seed determines.
struct Chance {
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    // Seeds that follow one another begin alike.
    _ = random.next()
  }

  /// A number below a bound.
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(bound, 1), using: &random) }

  /// Whether something happens that does once in so many times.
  mutating func once(in count: Int) -> Bool { below(count) == 0 }

  /// One of several values.
  mutating func one<Element>(of values: [Element]) -> Element { values[below(values.count)] }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }

  /// A seed for what makes choices of its own.
  mutating func seed() -> UInt64 { random.next() }

  /// A part of so many bytes that is most often short.
  mutating func range(in count: Int) -> Range<Int> {
    let start = below(count + 1)
    let length = below(once(in: 8) ? count - start + 1 : 24)
    return start..<min(count, start + length)
  }
}
