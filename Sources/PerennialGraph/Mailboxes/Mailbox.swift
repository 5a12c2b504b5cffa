// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// What other contexts have saved and one context has not looked at yet, in the order of the saves.
///
/// Whoever saves posts here, from any thread; only the context takes out. A mailbox is bounded, in
/// saves and in bytes: one that overflows forgets what it has and says so, and its context reads
/// everything again; as it does after changes that nobody can name.
///
/// Invariants: `saves` ascends by number; it is empty while `hasOverflown`.
final class Mailbox: Sendable {
  /// What was taken out.
  struct Contents {
    var saves: [CommittedChanges] = []
    /// Whether saves were forgotten.
    var hasOverflown = false

    var isEmpty: Bool { saves.isEmpty && !hasOverflown }
  }

  /// How much a mailbox holds.
  struct Limits: Sendable {
    var saves = 1_000
    /// The size of the rows, which stay in memory as long as they wait here.
    var bytes = 64 << 20
  }

  private struct State {
    var contents = Contents()
    var byteCount = 0
    /// Whether the context has been woken and has not come yet.
    var isAwaited = false
    var wake: (@Sendable () -> Void)?
  }

  private let limits: Limits
  private let state = Mutex(State())
  /// Whether there may be something to take out; a hint that costs no lock.
  private let hasContents = Atomic(false)

  init(limits: Limits = Limits()) { self.limits = limits }

  /// Whether there is nothing to take out.
  var isEmpty: Bool { !hasContents.load(ordering: .acquiring) }

  /// Sets what makes the context come, for a context that has an isolation of its own.
  ///
  /// - Parameter wake: Called from any thread, once until the contents have been taken.
  func onPost(_ wake: @escaping @Sendable () -> Void) {
    let isWaiting = state.withLock { state in
      state.wake = wake
      state.isAwaited = !state.contents.isEmpty
      return state.isAwaited
    }
    if isWaiting { wake() }
  }

  /// Puts a save in, and wakes the context.
  func post(_ save: CommittedChanges) {
    let byteCount = save.byteCount
    post { put(save, byteCount, into: &$0) }
  }

  /// Says that rows have changed and not which, and wakes the context.
  func postUnknownChanges() { post { forget(&$0) } }

  private func post(_ change: (inout sending State) -> Void) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      change(&state)
      hasContents.store(true, ordering: .releasing)
      guard !state.isAwaited else { return nil }
      state.isAwaited = state.wake != nil
      return state.wake
    }
    wake?()
  }

  private func put(_ save: CommittedChanges, _ byteCount: Int, into state: inout State) {
    guard !state.contents.hasOverflown else { return }
    state.byteCount += byteCount
    if state.contents.saves.count < limits.saves, state.byteCount <= limits.bytes {
      state.contents.saves.append(save)
    } else {
      forget(&state)
    }
  }

  private func forget(_ state: inout State) {
    state.contents = Contents(hasOverflown: true)
    state.byteCount = 0
  }

  /// Takes everything out.
  func take() -> Contents {
    if isEmpty { return Contents() }
    return state.withLock { state in
      defer {
        hasContents.store(false, ordering: .releasing)
        state.contents = Contents()
        state.byteCount = 0
        state.isAwaited = false
      }
      return state.contents
    }
  }
}
