// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Synchronization

/// Writers and readers of one process, each on a thread of its own.
struct RaceParty: Sendable {
  /// What they did.
  struct Result: Sendable {
    /// The names of the transfers whose save has returned.
    var acknowledged: [String] = []
    var conflictCount = 0
    var readCount = 0
    /// How many reads have seen a part of a save.
    var tornCount = 0
  }

  let bank: Bank
  let name: String
  let contextCount: Int
  let readerCount: Int
  /// How often each context saves.
  let saves: Int

  private final class State: Sendable {
    let result = Mutex(Result())
    let failure = Mutex<(any Error)?>(nil)
    let writersAreDone = Atomic(false)
  }

  /// Lets all of them work; returns when the writers have saved as often as they should.
  func run() throws -> Result {
    let state = State()
    let (writers, readers) = (DispatchGroup(), DispatchGroup())
    for number in 0..<contextCount {
      start(in: writers, state) {
        let conflicts = try bank.write("\(name) \(number)", saves: saves) { name in
          state.result.withLock { $0.acknowledged.append(name) }
        }
        state.result.withLock { $0.conflictCount += conflicts }
      }
    }
    for _ in 0..<readerCount {
      start(in: readers, state) {
        repeat {
          let isBalanced = try bank.isBalanced()
          state.result.withLock { result in
            result.readCount += 1
            if !isBalanced { result.tornCount += 1 }
          }
        } while !state.writersAreDone.load(ordering: .relaxed)
      }
    }
    writers.wait()
    state.writersAreDone.store(true, ordering: .relaxed)
    readers.wait()
    if let failure = state.failure.withLock({ $0 }) { throw failure }
    return state.result.withLock { $0 }
  }

  private func start(
    in group: DispatchGroup,
    _ state: State,
    _ body: @escaping @Sendable () throws -> Void
  ) {
    group.enter()
    let thread = Thread {
      do {
        try body()
      } catch {
        state.failure.withLock { $0 = $0 ?? error }
      }
      group.leave()
    }
    // As the system's; a thread of Foundation has less.
    thread.stackSize = 8 << 20
    thread.start()
  }
}
