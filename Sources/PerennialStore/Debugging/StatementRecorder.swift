// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// Keeps the texts of what a store is asked, while somebody wants to know.
///
/// Invariant: without anybody, it keeps nothing.
package final class StatementRecorder: Sendable {
  private struct State {
    var listeners = 0
    var texts: [String] = []
  }

  private let state = Mutex(State())
  private let isRecording = Atomic(false)

  package init() {}

  /// Whether somebody wants to know: one load, for whoever notes.
  package var isOn: Bool { isRecording.load(ordering: .relaxed) }

  /// Begins to keep texts.
  ///
  /// - Returns: What ``end(_:)`` needs.
  package func begin() -> Int {
    state.withLock { state in
      state.listeners += 1
      isRecording.store(true, ordering: .relaxed)
      return state.texts.count
    }
  }

  /// The texts since a beginning, which ends.
  package func end(_ beginning: Int) -> [String] {
    state.withLock { state in
      let texts = Array(state.texts.dropFirst(beginning))
      state.listeners -= 1
      if state.listeners == 0 {
        isRecording.store(false, ordering: .relaxed)
        state.texts = []
      }
      return texts
    }
  }

  package func note(_ texts: some Sequence<String>) {
    state.withLock { if $0.listeners > 0 { $0.texts += texts } }
  }
}
