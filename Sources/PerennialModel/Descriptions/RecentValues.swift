// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// The values that were asked for last, which are dear to make; the latest at the end.
package final class RecentValues<Value: Sendable>: Sendable {
  /// How many are kept.
  private static var limit: Int { 8 }

  private let values = Mutex<[Value]>([])

  package init() {}

  /// A value: one of the last, or a new one.
  ///
  /// - Parameters:
  ///   - fits: Whether it is the value that is asked for.
  ///   - make: Makes it. Two threads that ask at the same time may both make it.
  /// - Returns: The value.
  /// - Throws: What `make` throws.
  package func value<Failure: Error>(
    where fits: (Value) -> Bool,
    orMake make: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if let known = known(where: fits) { return known }
    let value = try make()
    values.withLock { values in
      values.append(value)
      if values.count > Self.limit { values.removeFirst() }
    }
    return value
  }

  private func known(where fits: (Value) -> Bool) -> Value? {
    values.withLock { values in
      values.lastIndex(where: fits).map { index in
        let found = values.remove(at: index)
        values.append(found)
        return found
      }
    }
  }
}
