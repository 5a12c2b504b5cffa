// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Dispatch
package import PerennialStore
import Synchronization

/// The connections to one database.
///
/// A thread that wants one while all are in use blocks; a task does not, and what it wants to do runs on
/// one of as many threads as there are connections.
///
/// Invariants:
/// 1. A connection is in `idle` or in the hands of one user.
/// 2. `count` is the number of the connections there are and of the permits to open one; it never
///    exceeds the limit.
/// 3. Nobody waits while there is an idle connection or a permit; those who wait are served in order.
/// 4. No lock is held while a server is asked or somebody is told.
package final class PostgresPool: Sendable {
  struct State: Sendable {
    /// The one that was given back last is the last one.
    var idle: [IdleConnection] = []
    var count = 0
    var waiters: [PoolWaiter] = []
    var isClosed = false
    var counters = PostgresCounters()
    /// How many connections were made so far.
    var openedCount = 0
    /// Threads for tasks that use a connection, while nobody uses them.
    var lanes: [DispatchQueue] = []
  }

  /// Where the server is, and the limits.
  package let location: PostgresLocation
  let state = Mutex(State())
  private let process = ProcessWitness()
  /// Whether the only connection is somebody else's, who has a transaction open: no other can take its place.
  private let isHolding: Bool

  /// A pool without connections.
  package init(_ location: PostgresLocation) {
    self.location = location
    isHolding = false
  }

  /// A pool of one connection, which is somebody else's: it gets no older, and when it is lost there is none.
  init(holding connection: PostgresConnection) {
    var location = connection.location
    location.limits.connectionCount = 1
    self.location = location
    isHolding = true
    let confined = ConfinedConnection(connection: connection)
    state.withLock { state in
      state.idle = [IdleConnection(confined: confined, since: .now)]
      state.count = 1
    }
  }

  deinit { state.withLock { $0.idle.removeAll() } }

  /// What the connections have asked, as far as they have been given back.
  package var counters: PostgresCounters { state.withLock { $0.counters } }
  /// How many connections were made so far.
  package var openedCount: Int { state.withLock { $0.openedCount } }
  /// How many connections there are, with those that are being made.
  package var count: Int { state.withLock { $0.count } }
  /// How many connections nobody uses.
  package var idleCount: Int { state.withLock { $0.idle.count } }
  /// How many threads and tasks wait for a connection.
  package var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Opens the connections that are to be there from the beginning, one at least: to learn now what is
  /// wrong with the location.
  package func open() throws(PostgresFailure) {
    while state.withLock({ $0.count < max(1, location.limits.idleCount) }) {
      guard case .permit = reserve() else { return }
      giveBack(try connection(for: .permit))
    }
  }

  /// Closes the connections, those in use when they are given back; whoever waits gets an error.
  package func close() {
    let (idle, waiters) = state.withLock { state in
      state.isClosed = true
      defer {
        state.count -= state.idle.count
        state.idle = []
        state.waiters = []
      }
      return (state.idle, state.waiters)
    }
    withExtendedLifetime(idle) {}
    for waiter in waiters { waiter.resume(with: .failure(Self.closed)) }
  }

  /// Calls a closure with a connection that nobody else uses meanwhile; waits for one on this thread.
  ///
  /// - Parameters:
  ///   - cancellation: Ends the waiting, too.
  ///   - body: Uses the connection. What it leaves open of a transaction is rolled back.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; that all connections are in use or none can be made.
  package func use<Value>(
    _ cancellation: FetchCancellation? = nil,
    _ body: (PostgresConnection) throws(PostgresFailure) -> Value
  ) throws(PostgresFailure) -> Value {
    let connection = try connection(for: try take(cancellation))
    defer { giveBack(connection) }
    return try body(connection)
  }

  /// The right to use a connection: waits for it on this thread.
  private func take(_ cancellation: FetchCancellation?) throws(PostgresFailure) -> PoolGrant {
    let seat = PoolSeat()
    let waiter = seat.waiter()
    if let grant = reserve(orWaitAs: waiter) { return try grant.get() }
    if let cancellation {
      guard cancellation.begin({ self.dismiss(waiter, Self.cancelled) }) else {
        dismiss(waiter, Self.cancelled)
        return try seat.wait().get()
      }
    }
    defer { cancellation?.end() }
    if let answer = seat.wait(location.limits.poolTimeout) { return try answer.get() }
    dismiss(waiter, exhausted)
    return try seat.wait().get()
  }
}

extension PostgresPool {
  /// An idle connection or a permit, if there is one; otherwise the waiter joins the others.
  func reserve(orWaitAs waiter: PoolWaiter) -> PoolWaiter.Answer? {
    if process.isCopy { return .failure(Self.forked) }
    return state.withLock { state in
      if state.isClosed { return .failure(Self.closed) }
      if let idle = state.idle.popLast() { return .success(.connection(idle.confined)) }
      if state.count < location.limits.connectionCount {
        state.count += 1
        return .success(.permit)
      }
      state.waiters.append(waiter)
      return nil
    }
  }

  /// A permit, if one more connection may be opened.
  private func reserve() -> PoolGrant? {
    state.withLock { state in
      guard !state.isClosed, state.count < location.limits.connectionCount else { return nil }
      state.count += 1
      return .permit
    }
  }

  /// The connection that a grant stands for: opened, or anew when the server has closed it.
  func connection(for grant: PoolGrant) throws(PostgresFailure) -> PostgresConnection {
    if case .connection(let idle) = grant, idle.connection.isAlive() { return idle.connection }
    do throws(PostgresFailure) {
      if isHolding { throw Self.lost }
      let connection = try PostgresConnection.open(location)
      state.withLock { $0.openedCount += 1 }
      return connection
    } catch {
      releasePermit()
      throw error
    }
  }

  /// Takes a connection back: the next user gets it, if it is fit for one.
  func giveBack(_ connection: PostgresConnection) {
    let isFit = connection.settle()
    let age = ContinuousClock.now - connection.openedAt
    let isYoung = isHolding || age < location.limits.maximumAge
    let counters = connection.counters
    connection.counters = PostgresCounters()
    let isKept = isFit && isYoung
    let confined = ConfinedConnection(connection: connection)
    let now = ContinuousClock.now
    let minimum = location.limits.idleCount
    let idleTime = location.limits.idleTime
    var closed: [IdleConnection] = []
    let (next, isReleased) = state.withLock { state -> (PoolWaiter?, Bool) in
      state.counters += counters
      guard isKept, !state.isClosed else { return (nil, true) }
      if !state.waiters.isEmpty { return (state.waiters.removeFirst(), false) }
      state.idle.append(IdleConnection(confined: confined, since: now))
      while state.idle.count > max(minimum, 1), let first = state.idle.first,
        now - first.since >= idleTime
      {
        closed.append(state.idle.removeFirst())
        state.count -= 1
      }
      return (nil, false)
    }
    if isReleased {
      releasePermit()
    } else {
      next?.resume(with: .success(.connection(confined)))
    }
  }

  /// A connection is gone: somebody else may open one.
  private func releasePermit() {
    let next = state.withLock { state -> PoolWaiter? in
      if !state.waiters.isEmpty { return state.waiters.removeFirst() }
      state.count -= 1
      return nil
    }
    next?.resume(with: .success(.permit))
  }

  /// Ends somebody's waiting; does nothing when it has ended already.
  func dismiss(_ waiter: PoolWaiter, _ failure: PostgresFailure) {
    let isThere = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return false }
      state.waiters.remove(at: index)
      return true
    }
    if isThere { waiter.resume(with: .failure(failure)) }
  }

  static let forked = PostgresFailure(.forked, "the process was forked", outcome: .notSent)
  static let lost = PostgresFailure(.connectionLost, "it was lost with its transaction")
  static let closed = PostgresFailure(.poolClosed, "the pool is closed", outcome: .notSent)
  static let cancelled = PostgresFailure(.cancelled, "cancelled while waiting", outcome: .notSent)

  /// The failure of whoever has waited too long.
  var exhausted: PostgresFailure {
    let limits = location.limits
    return PostgresFailure(
      .poolExhausted,
      "none of \(limits.connectionCount) became free within \(limits.poolTimeout)",
      outcome: .notSent
    )
  }
}
#endif
