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
  /// Saves that wait, up to a limit.
  struct Contents {
    private(set) var saves: [CommittedChanges] = []
    /// Whether saves were forgotten.
    private(set) var hasOverflown = false
    private var byteCount = 0

    var isEmpty: Bool { saves.isEmpty && !hasOverflown }

    /// Adds a save, the size of whose rows the caller knows; when that is too much, all are forgotten.
    mutating func put(_ save: CommittedChanges, byteCount: Int, within limits: Limits) {
      guard !hasOverflown else { return }
      self.byteCount += byteCount
      if saves.count < limits.saves, self.byteCount <= limits.bytes {
        saves.append(save)
      } else {
        forget()
      }
    }

    /// Forgets the saves.
    mutating func forget() { (saves, hasOverflown, byteCount) = ([], true, 0) }
  }

  /// How much a mailbox holds.
  struct Limits: Sendable {
    var saves = 1_000
    /// The size of the rows, which stay in memory as long as they wait here.
    var bytes = 64 << 20
  }

  private struct State {
    var contents = Contents()
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
    post { $0.contents.put(save, byteCount: byteCount, within: limits) }
  }

  /// Says that rows have changed and not which, and wakes the context.
  func postUnknownChanges() { post { $0.contents.forget() } }

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

  /// Takes everything out.
  func take() -> Contents {
    if isEmpty { return Contents() }
    return state.withLock { state in
      defer {
        hasContents.store(false, ordering: .releasing)
        state.contents = Contents()
        state.isAwaited = false
      }
      return state.contents
    }
  }
}
