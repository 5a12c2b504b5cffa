// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Observation
import Synchronization

/// Tells whether the current code runs inside `withObservationTracking`.
///
/// The Observation module does not say so. But only inside does a registrar keep the key path of an
/// access, in a set, for which it must hash it; and the probe's key path notices that it is hashed.
///
/// A hash on another thread, when Observation cancels, may make the answer a false yes, which costs
/// a registrar; a false no cannot happen.
struct TrackingProbe {
  /// What the key path goes through.
  ///
  /// It does not hold the path, which holds it.
  private final class Signal: Observable, Hashable, Sendable {
    let wasHashed = Atomic(false)

    subscript(signal signal: Signal) -> Bool { false }

    static func == (left: Signal, right: Signal) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
      wasHashed.store(true, ordering: .relaxed)
      hasher.combine(ObjectIdentifier(self))
    }
  }

  private let registrar = ObservationRegistrar()
  private let signal: Signal
  private let path: KeyPath<Signal, Bool>

  init() {
    let signal = Signal()
    self.signal = signal
    path = \Signal[signal: signal]
  }

  /// Whether an access would be tracked now.
  func isTracking() -> Bool {
    signal.wasHashed.store(false, ordering: .relaxed)
    registrar.access(signal, keyPath: path)
    return signal.wasHashed.load(ordering: .relaxed)
  }
}
