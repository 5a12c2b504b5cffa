// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Synchronization
import Testing

/// A store that others write as well: it counts what is read of it, and some of it cannot be read.
private final class SharedStore: StateStore, HistoryStore {
  enum Torn: Equatable {
    case nothing
    /// The rows of an entity.
    case rows(Int)
    /// What is asked of the history for the second time.
    case history
    /// The next request for rows: the server is away for a moment.
    case connection
  }

  let rows: InMemoryStore
  let tally = RequestTally()
  private let torn: Mutex<Torn>
  private let own = OwnTransactions()
  private let counts = Mutex((rows: 0, history: 0))

  init(_ rows: InMemoryStore, torn: Torn) {
    self.rows = rows
    self.torn = Mutex(torn)
  }

  var model: ModelLayout { rows.model }
  var identifier: UUID { rows.identifier }
  var capabilities: StoreCapabilities { rows.capabilities }
  var keepsHistory: Bool { true }

  /// How often rows were asked for, and the history.
  var requests: (rows: Int, history: Int) { counts.withLock { $0 } }

  private static let failure = PerennialError(.sqlite, "It is torn.", recovery: "none")

  /// From now on, something cannot be read.
  func tear(_ part: Torn) { torn.withLock { $0 = part } }

  func currentState() throws(PerennialError) -> InMemoryState { rows.currentState() }

  func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    try rows.reserveKeys(root: root, count: count)
  }

  func save(_ changes: ChangeSet) throws(SaveFailure) {
    try rows.save(changes)
    own.note(rows.currentState().history?.extent.last)
  }

  func fetchRows(_ query: StoreQuery, _ body: (RowPage) -> Void) throws(PerennialError) {
    counts.withLock { $0.rows += 1 }
    let now = torn.withLock { torn in
      let now = torn
      if now == .connection { torn = .nothing }
      return now
    }
    if now == .connection { throw PerennialError(.connectionLost, "It is away.", recovery: "wait") }
    if now == .rows(query.entity) { throw Self.failure }
    try rows.fetchRows(query, body)
  }

  func history(
    _ query: HistoryQuery
  ) throws(PerennialError) -> [PersistentHistoryTransaction] {
    let number = counts.withLock { counts in
      counts.history += 1
      return counts.history
    }
    if number == 2, torn.withLock({ $0 == .history }) { throw Self.failure }
    return try rows.history(query)
  }

  func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int {
    try rows.deleteHistory(before: place)
  }

  func noteOwnTransactions() { own.begin() }

  func isOwn(transaction number: Int64) -> Bool { own.contains(number) }

  func ownRun(after number: Int64) -> ClosedRange<Int64>? { own.run(after: number) }

  func forgetOwnTransactions(through number: Int64) { own.forget(through: number) }
}

extension RemoteChangeTests {
  /// A coordinator of a store that others write, too.
  private struct Shared {
    let store: SharedStore
    let near: StoreCoordinator
    let context: ManagedObjectContext
    let far: ManagedObjectContext
    let house: House
    /// The same house, afar.
    let same: House

    init(torn: (ModelLayout) throws -> SharedStore.Torn = { _ in .nothing }) throws {
      let model = try historyModel().layout
      let rows = InMemoryStore(model: model, history: HistoryOptions(isOn: true))
      store = SharedStore(rows, torn: try torn(model))
      let classes = Dictionary(uniqueKeysWithValues: historyClasses.map { ($0.entityName, $0) })
      near = StoreCoordinator(store: store, classes: classes)
      context = ManagedObjectContext(coordinator: near)
      context.automaticallyMergesChangesFromParent = true
      house = House.make("0", in: context)[0]
      try context.save()
      try near.beginWatching(store)
      far = ManagedObjectContext(coordinator: StoreCoordinator(store: rows, classes: classes))
      same = try far.object(House.self, with: house.objectID)
    }

    func look() throws { try near.receiveRemoteChanges(of: store, url: nil) }
  }

  @Test(arguments: [false, true])
  func `1H.4 what cannot be read hides no later save, and nothing is merged twice`(
    isHistory: Bool
  ) throws {
    let shared = try Shared { model in
      let club = try #require(model.entitiesByName["Club"])
      return isHistory ? .history : .rows(club)
    }
    for number in 1...120 {
      shared.same.street = "\(number)"
      if number == 60 { _ = Club.make("torn", in: shared.far) }
      try shared.far.save()
    }
    try shared.look()
    try shared.context.processPendingChanges()
    #expect(shared.house.street == "120")
    let count = shared.store.requests.rows
    try shared.look()
    #expect(shared.store.requests.rows == count)
  }

  @Test func `1H.4 an object whose row cannot be read keeps it, others are merged`() throws {
    let shared = try Shared()
    let club = Club.make("whole", in: shared.context)
    try shared.context.save()
    try shared.look()
    let entity = try #require(shared.store.model.entitiesByName["Club"])
    shared.store.tear(.rows(entity))
    try shared.far.object(Club.self, with: club.objectID).title = "torn"
    shared.same.street = "120"
    try shared.far.save()
    try shared.look()
    try shared.context.processPendingChanges()
    #expect(shared.house.street == "120")
    #expect(club.title == "whole" && !club.isDeleted)
    #expect(shared.context.lastFaultError?.code == .sqlite)
    // What is saved here arrives as well.
    let other = ManagedObjectContext(coordinator: shared.near)
    try other.object(House.self, with: shared.house.objectID).street = "121"
    try other.save()
    try shared.context.processPendingChanges()
    #expect(shared.house.street == "121")
  }

  @Test func `1H.4 a server that is away is asked again by the next look`() async throws {
    let shared = try Shared()
    var saves = shared.near.saves().makeAsyncIterator()
    for number in 1...3 {
      shared.same.street = "\(number)"
      try shared.far.save()
    }
    let count = shared.store.requests.rows
    shared.store.tear(.connection)
    let error = try #require(throws: PerennialError.self) { try shared.look() }
    #expect(error.code == .connectionLost)
    #expect(shared.store.requests.rows == count + 1)
    try shared.look()
    for _ in 1...3 {
      let save = await saves.next()
      #expect(save?.objects.updated == [shared.house.objectID])
    }
    try shared.context.processPendingChanges()
    #expect(shared.house.street == "3")
  }

  @Test func `1H.4 saves of others that alternate with own ones are read many at a time`() throws {
    let shared = try Shared()
    let club = Club.make("", in: shared.context)
    for number in 1...50 {
      club.title = "\(number)"
      try shared.context.save()
      shared.same.street = "\(number)"
      try shared.far.save()
    }
    try shared.look()
    #expect(shared.store.requests.history <= 2)
    try shared.context.processPendingChanges()
    #expect(shared.house.street == "50" && club.title == "50")
  }
}
