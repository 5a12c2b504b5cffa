// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// How long programs usually take for what they do, in seconds.
struct PhaseClock {
  private var usual: [CrashPhase: Double] = [:]
  private var last = ContinuousClock.now

  mutating func begin() { last = .now }

  /// Notes an event, which may be the end of a phase.
  mutating func note(_ phase: CrashPhase, isOver: Bool) {
    let now = ContinuousClock.now
    if isOver {
      let seconds = (now - last) / .seconds(1)
      usual[phase] = usual[phase].map { $0 * 0.9 + seconds * 0.1 } ?? seconds
    }
    last = now
  }

  func usual(_ phase: CrashPhase) -> Double { usual[phase] ?? 0.002 }

  /// Waits; the kill is to come at a random moment, not when the system likes to wake us.
  func wait(_ seconds: Double) {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {}
  }
}
