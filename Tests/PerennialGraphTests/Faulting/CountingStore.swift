// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Synchronization
import Testing

/// A store that counts what is asked of another one, and can be told to fail.
final class CountingStore: RowStore {
  struct Counts: Sendable, Equatable {
    var rows = 0
    var values = 0
    var references = 0
    var counts = 0
    var members = 0
    var memberCounts = 0

    /// All questions.
    var total: Int { rows + values + references + counts + members + memberCounts }
  }

  private let store: any RowStore
  private let counts = Mutex(Counts())
  private let given = Mutex(0)
  private let failing = Mutex(false)
  private let refusal = Mutex<SaveFailure?>(nil)

  init(_ store: any RowStore) { self.store = store }

  var model: ModelLayout { store.model }
  var identifier: UUID { store.identifier }
  var naming: StoreNaming { store.naming }
  var capabilities: StoreCapabilities { store.capabilities }
  var counters: StoreCounters { store.counters }
  var recorder: StatementRecorder { store.recorder }

  /// How many rows were given so far, but for those of members.
  var givenRows: Int { given.withLock { $0 } }

  /// Whether every reading fails.
  var fails: Bool {
    get { failing.withLock { $0 } }
    set { failing.withLock { $0 = newValue } }
  }

  /// What every save fails with, without reaching the other store; `nil` when it may.
  var refuses: SaveFailure? {
    get { refusal.withLock { $0 } }
    set { refusal.withLock { $0 = newValue } }
  }

  /// What was asked while a closure ran.
  func asked(_ body: () throws -> Void) rethrows -> Counts {
    counts.withLock { $0 = Counts() }
    try body()
    return counts.withLock { $0 }
  }

  private func note(_ kind: WritableKeyPath<Counts, Int>) throws(PerennialError) {
    counts.withLock { $0[keyPath: kind] += 1 }
    if fails { throw PerennialError(.sqlite, "The disk is gone.") }
  }

  func fetchRows(_ query: StoreQuery, _ body: (RowPage) -> Void) throws(PerennialError) {
    try note(\.rows)
    try store.fetchRows(query) { page in
      given.withLock { $0 += page.count }
      body(page)
    }
  }

  func fetchValues(_ query: ProjectionQuery) throws(PerennialError) -> ValueTable {
    try note(\.values)
    return try store.fetchValues(query)
  }

  func fetchReferences(_ query: StoreQuery) throws(PerennialError) -> [ObjectReference] {
    try note(\.references)
    return try store.fetchReferences(query)
  }

  func count(_ query: StoreQuery) throws(PerennialError) -> Int {
    try note(\.counts)
    return try store.count(query)
  }

  func fetchMembers(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) throws(PerennialError) -> MemberRows {
    try note(\.members)
    return try store.fetchMembers(of: relationship, owners: owners, limit: limit)
  }

  func countMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: Int] {
    try note(\.memberCounts)
    return try store.countMembers(of: relationship, owners: owners)
  }

  func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
    try store.explain(query)
  }

  func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    try store.reserveKeys(root: root, count: count)
  }

  func save(_ changes: ChangeSet) throws(SaveFailure) {
    if let refuses { throw refuses }
    try store.save(changes)
  }
}

/// A store of authors with commits and teams, saved by another context, that counts its questions.
final class FaultBench {
  let store: CountingStore
  let coordinator: StoreCoordinator
  private let folder: URL

  init(
    _ kind: StoreKind,
    authors: Int = 20,
    commitsEach: Int = 5,
    classes: [ManagedObject.Type] = fixtureClasses
  ) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let model = try ManagedObjectModel(entities: classes.map { $0.entity })
    store = CountingStore(try kind.open(model.layout, in: folder))
    coordinator = StoreCoordinator(
      store: store,
      classes: Dictionary(uniqueKeysWithValues: classes.map { ($0.entityName, $0) })
    )
    guard authors > 0 else { return }
    let context = ManagedObjectContext(coordinator: coordinator)
    var number = 0
    for name in 0..<authors {
      let author = Author(context: context)
      author.name = "author \(name)"
      let team = Team(context: context)
      team.title = "team \(name)"
      team.members.append(author)
      for _ in 0..<commitsEach {
        let commit = Commit(context: context)
        commit.sha = "sha \(number)"
        commit.author = author
        number += 1
      }
    }
    try context.save()
    coordinator.forgetRows()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func context() -> ManagedObjectContext { ManagedObjectContext(coordinator: coordinator) }

  func asked(_ body: () throws -> Void) rethrows -> CountingStore.Counts { try store.asked(body) }
}
