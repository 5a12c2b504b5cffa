// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import Synchronization

/// A server that keeps its rows in memory and tells its other clients of every save, if it talks.
final class FakeServer: Sendable {
  private struct State {
    var rows: InMemoryStore?
    var clients: [ObjectIdentifier: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())
  private let turn = Mutex(())
  private let talks: Bool

  init(talks: Bool = true) { self.talks = talks }

  /// The description of a store on the server, as the product that has the kind makes it.
  func description(_ url: URL = FakeServer.url) -> StoreDescription {
    .server(
      url,
      .fake { description, model, _ throws(PerennialError) in
        FakeServerStore(self, self.rows(of: model), isReadOnly: description.isReadOnly)
      }
    )
  }

  /// An address with a password.
  static let url =
    URL(string: "fake://ada:secret@db.example/library?pool=2&password=secret")
    ?? URL(filePath: "/")

  /// How many clients are told.
  var clientCount: Int { state.withLock { $0.clients.count } }

  private func rows(of model: ModelLayout) -> InMemoryStore {
    state.withLock { state in
      let rows = state.rows ?? InMemoryStore(model: model, history: HistoryOptions(isOn: true))
      state.rows = rows
      return rows
    }
  }

  fileprivate func add(_ client: FakeServerStore, _ wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.clients[ObjectIdentifier(client)] = wake }
  }

  fileprivate func remove(_ client: ObjectIdentifier) {
    let gone = state.withLock { $0.clients.removeValue(forKey: client) }
    _ = gone
  }

  /// Runs one request after the other: nobody sees half of one.
  fileprivate func alone<Result, Failure: Error>(
    _ request: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try turn.withLock { _ throws(Failure) in try request() }
  }

  fileprivate func tell(allBut client: FakeServerStore) {
    guard talks else { return }
    let others = state.withLock { state in
      state.clients.filter { $0.key != ObjectIdentifier(client) }.map(\.value)
    }
    for wake in others { wake() }
  }
}

extension ServerKind {
  /// A kind that does not tell of what it does not have open.
  static func fake(_ open: @escaping Opening) -> ServerKind {
    ServerKind(
      name: "Fake",
      storedModel: { () throws(PerennialError) in
        throw PerennialError(.persistentStoreOpen, "It is asleep.", recovery: "wake it")
      },
      open: open
    )
  }
}

/// A client's store: every request is a round trip.
final class FakeServerStore: StateStore {
  let model: ModelLayout
  let identifier: UUID
  let capabilities: StoreCapabilities = [.cacheableRows, .durable]
  let tally = RequestTally()
  private let server: FakeServer
  private let rows: InMemoryStore
  private let isReadOnly: Bool
  private let own = Mutex<Set<Int64>>([])

  init(_ server: FakeServer, _ rows: InMemoryStore, isReadOnly: Bool) {
    self.server = server
    self.rows = rows
    self.isReadOnly = isReadOnly
    model = rows.model
    identifier = rows.identifier
  }

  deinit { server.remove(ObjectIdentifier(self)) }

  var counters: StoreCounters {
    let counted = tally.counters
    return StoreCounters(
      statements: counted.statements,
      rows: counted.rows,
      roundTrips: counted.statements
    )
  }

  func currentState() throws(PerennialError) -> InMemoryState { rows.currentState() }

  func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    try rows.reserveKeys(root: root, count: count)
  }

  func save(_ changes: ChangeSet) throws(SaveFailure) {
    guard !isReadOnly else {
      throw .failed(PerennialError(.persistentStoreSave, "It is read only.", recovery: "do not"))
    }
    tally.note(rows: 0)
    try server.alone { () throws(SaveFailure) in
      try rows.save(changes)
      let number = rows.currentState().history?.extent.last
      own.withLock { if let number { _ = $0.insert(number) } }
    }
    server.tell(allBut: self)
  }
}

extension FakeServerStore: HistoryStore {
  var keepsHistory: Bool { true }

  func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int {
    try rows.deleteHistory(before: place)
  }

  func isOwn(transaction number: Int64) -> Bool { own.withLock { $0.contains(number) } }
}

extension FakeServerStore: WatchableStore {
  var watchedPath: String? { nil }

  func foreignDataVersion() throws(PerennialError) -> Int64 {
    try server.alone { () throws(PerennialError) in
      let last = try historyExtent().last
      return last - Int64(own.withLock(\.count))
    }
  }

  func onForeignWrite(_ wake: @escaping @Sendable () -> Void) { server.add(self, wake) }
}

extension FakeServerStore: DescribedStore {
  func storeMetadata() throws(PerennialError) -> PersistentStoreMetadata {
    try rows.storeMetadata()
  }

  func setStoreMetadata(_ metadata: PersistentStoreMetadata) throws(PerennialError) {
    try rows.setStoreMetadata(metadata)
  }
}
