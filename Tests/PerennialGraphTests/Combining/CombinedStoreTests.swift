// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQLite
import PerennialStore
import RandomTesting
import Synchronization
import Testing

@testable import PerennialGraph

/// Rows that lie in several stores are found as if they lay in one.
@Suite("Several stores as one")
struct CombinedStoreTests {
  private static func model() throws -> ModelLayout {
    try ManagedObjectModel(
      EntityDescription(
        "Item",
        uniqueness: [["code"]],
        properties: [
          .attribute("code", .int64), .attribute("name", .string, optional: true),
          .attribute("weight", .double, optional: true), .toOne("box", "Box", inverse: "items"),
        ]
      ),
      EntityDescription(
        "Box",
        properties: [
          .attribute("label", .string), .toMany("items", "Item", inverse: "box"),
        ]
      )
    ).layout
  }

  @Test func `IDs name the store that has the row, also one that came later`() throws {
    let model = try Self.model()
    let combined = CombinedStore(model: model)
    let stores = [InMemoryStore(model: model), InMemoryStore(model: model)]
    let all = Set(model.entities.indices)
    try combined.add(.init(stores[0], entities: all))
    let early = ObjectIDMaker(model, combined.naming)
    try combined.add(.init(stores[1], entities: all))
    let late = ObjectIDMaker(model, combined.naming)
    for entity in model.entities {
      for (number, store) in stores.enumerated() {
        let key = StoreKey.combined(7, store: number)
        let id = ManagedObjectID(entityName: entity.name, owner: store.identifier, key: 7)
        #expect(early.id(entity.index, key) == id)
        #expect(late.id(entity.index, key) == id)
        #expect(combined.naming.objectID(entity.name, key) == id)
      }
    }
  }

  /// Two stores as one and a single store, with the same rows; names tell which is which.
  private struct Twins {
    let several: StoreCoordinator
    let single: StoreCoordinator
    let folder: URL
    let stores: [any RowStore]

    init(seed: UInt64) throws {
      let model = try CombinedStoreTests.model()
      folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      stores = [
        InMemoryStore(model: model),
        try SQLiteStore(url: folder.appending(path: "store.sqlite"), model: model),
        InMemoryStore(model: model),
      ]
      let combined = CombinedStore(model: model)
      for store in stores {
        try combined.add(.init(store, entities: Set(model.entities.indices)))
      }
      several = StoreCoordinator(store: combined, classes: [:])
      single = StoreCoordinator(store: InMemoryStore(model: model), classes: [:])
      var random = Random(seed: seed)
      let one = ManagedObjectContext(coordinator: single)
      let many = ManagedObjectContext(coordinator: several)
      var boxes: [(ManagedObject, ManagedObject)] = []
      for number in 0..<6 {
        let pair = (try one.insert(entityNamed: "Box"), try many.insert(entityNamed: "Box"))
        for box in [pair.0, pair.1] { try box.setValue("box \(number % 4)", forKey: "label") }
        try many.assign(pair.1, toStore: stores[number % 3].identifier)
        boxes.append(pair)
      }
      for code in 0..<40 {
        let place = random.next(3)
        let name: String? = random.next(5) == 0 ? nil : "n\(random.next(8))"
        let size: Double? = random.next(5) == 0 ? nil : Double(random.next(6)) / 2
        let box = random.next(4) == 0 ? nil : boxes[place + 3 * random.next(2)]
        for (context, box) in [(one, box?.0), (many, box?.1)] {
          let item = try context.insert(entityNamed: "Item")
          try item.setValue(code, forKey: "code")
          try item.setValue(name, forKey: "name")
          try item.setValue(size, forKey: "weight")
          try item.setObject(box, forKey: "box")
          if context === many { try many.assign(item, toStore: stores[place].identifier) }
        }
      }
      try one.save()
      try many.save()
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
  }

  /// A small generator that is the same everywhere.
  private struct Random {
    var state: UInt64

    init(seed: UInt64) { state = seed &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }

    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(truncatingIfNeeded: state >> 33) % bound
    }
  }

  private func codes(_ items: [ManagedObject]) throws -> [Int64?] {
    try items.map { try $0.value(forKey: "code") as? Int64 }
  }

  private static let conditions: [FetchPredicate?] = [
    nil, "weight > 1", "name != nil", "box.label == 'box 1'", "ANY box.items.weight > 2",
    "name IN {'n1', 'n2', 'n3'}", "FALSEPREDICATE",
  ]
  /// Orders that leave no two items equal.
  private static let orders: [[FetchSort]] = [
    [FetchSort("code")], [FetchSort("code", ascending: false)],
    [FetchSort("name"), FetchSort("weight", ascending: false), FetchSort("code")],
    [FetchSort("box.label", ascending: false), FetchSort("code")],
    [FetchSort("weight"), FetchSort("box.label"), FetchSort("code", ascending: false)],
  ]

  @Test(arguments: PropertyRuns.seeds(usually: 4))
  func `1I.3 several stores answer as one would`(seed: UInt64) throws {
    let twins = try Twins(seed: seed)
    defer { twins.remove() }
    var random = Random(seed: seed &+ 1)
    let one = ManagedObjectContext(coordinator: twins.single)
    let many = ManagedObjectContext(coordinator: twins.several)
    for condition in Self.conditions {
      for order in Self.orders {
        var request = FetchRequest<ManagedObject>(entityName: "Item")
        request.predicate = condition
        request.sortDescriptors = order
        request.fetchOffset = [0, 0, 3, 50][random.next(4)]
        request.fetchLimit = [0, 1, 7, 100][random.next(4)]
        let words: Comment = "seed \(seed), \(String(describing: condition)), \(order.map(\.key))"
        let expected = try codes(one.fetch(request))
        #expect(try codes(many.fetch(request)) == expected, words)
        #expect(try many.count(for: request) == expected.count, words)
        let ids = try many.fetchObjectIDs(request)
        #expect(try codes(ids.map { try many.existingObject(with: $0) }) == expected, words)
        let values = request.fetching("code", "box.label")
        #expect(
          try many.fetchDictionaries(values).map { $0["code"] as? Int64 } == expected,
          words
        )
      }
    }
  }

  @Test(arguments: PropertyRuns.seeds(usually: 2))
  func `1I.3 groups, and members of relationships, are those of one store`(seed: UInt64) throws {
    let twins = try Twins(seed: seed)
    defer { twins.remove() }
    func groups(_ coordinator: StoreCoordinator) throws -> [[String]] {
      let context = ManagedObjectContext(coordinator: coordinator)
      let request = FetchRequest<ManagedObject>(entityName: "Item").fetching(
        "name",
        .expression(ExpressionDescription("number", format: "count(code)")),
        .expression(ExpressionDescription("greatest", format: "max:(weight)"))
      ).grouped(by: "name").sorted(by: FetchSort("name"))
      return try context.fetchDictionaries(request).map { row in
        ["name", "number", "greatest"].map { String(describing: row[$0] ?? nil) }
      }
    }
    #expect(try groups(twins.several) == groups(twins.single))
    func members(_ coordinator: StoreCoordinator) throws -> [[Int64?]] {
      let context = ManagedObjectContext(coordinator: coordinator)
      var request = FetchRequest<ManagedObject>(entityName: "Box")
      request.sortDescriptors = [FetchSort("label")]
      let boxes = try context.fetch(request)
      let codes = try boxes.map { box in
        try self.codes(Array(box.objects(forKey: "items"))).sorted { ($0 ?? 0) < ($1 ?? 0) }
      }
      return codes.sorted { "\($0)" < "\($1)" }
    }
    #expect(try members(twins.several) == members(twins.single))
  }

  @Test func `1H.4 transactions of one store stay in its order, whatever its clock has shown`() {
    let stores = [UUID(), UUID()]
    func result(_ store: Int, _ times: [Double]) -> PersistentHistoryResult {
      let transactions = times.enumerated().map { number, time in
        PersistentHistoryTransaction(
          transactionNumber: Int64(number) + 1,
          timestamp: Date(timeIntervalSinceReferenceDate: time),
          author: nil,
          contextName: nil,
          processID: nil,
          bundleID: nil,
          storeID: stores[store]
        )
      }
      return PersistentHistoryResult(.transactionsOnly, transactions, count: times.count)
    }
    // The first store's clock was set back by an hour after its second transaction.
    let results = [result(0, [100, 4000, 401]), result(1, [50, 300, 5000])]
    func order(limit: Int) -> [String] {
      PersistentHistoryResult(merging: results, limit: limit).transactions.map {
        "\($0.storeID == stores[0] ? "A" : "B")\($0.transactionNumber)"
      }
    }
    #expect(order(limit: 0) == ["B1", "A1", "B2", "A2", "A3", "B3"])
    #expect(order(limit: 3) == ["B1", "A1", "B2"])
  }

  /// A store whose next save fails, as a disk does.
  private final class FailingStore: RowStore {
    private let store: any RowStore
    private let failures = Atomic(0)

    init(_ store: any RowStore) { self.store = store }

    func failOnce() { failures.store(1, ordering: .relaxed) }

    var model: ModelLayout { store.model }
    var identifier: UUID { store.identifier }
    var capabilities: StoreCapabilities { store.capabilities }
    var counters: StoreCounters { store.counters }
    var recorder: StatementRecorder { store.recorder }

    func fetchRows(_ query: StoreQuery, _ body: (RowPage) -> Void) throws(PerennialError) {
      try store.fetchRows(query, body)
    }
    func fetchValues(_ query: ProjectionQuery) throws(PerennialError) -> ValueTable {
      try store.fetchValues(query)
    }
    func fetchReferences(_ query: StoreQuery) throws(PerennialError) -> [ObjectReference] {
      try store.fetchReferences(query)
    }
    func count(_ query: StoreQuery) throws(PerennialError) -> Int { try store.count(query) }
    func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
      try store.explain(query)
    }
    func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
      try store.reserveKeys(root: root, count: count)
    }
    func save(_ changes: ChangeSet) throws(SaveFailure) {
      if failures.exchange(0, ordering: .relaxed) > 0 {
        throw .failed(PerennialError(.sqlite, "The disk is gone."))
      }
      try store.save(changes)
    }
  }

  /// Two stores, the second of which fails when it is told to, and an item in each.
  private struct Failing {
    let first: InMemoryStore
    let inner: InMemoryStore
    let second: FailingStore
    let coordinator: StoreCoordinator
    let context: ManagedObjectContext
    var items: [ManagedObject] = []

    init() throws {
      let model = try CombinedStoreTests.model()
      let all = Set(model.entities.indices)
      first = InMemoryStore(model: model, history: HistoryOptions(isOn: true))
      inner = InMemoryStore(model: model)
      second = FailingStore(inner)
      let combined = CombinedStore(model: model)
      try combined.add(.init(first, entities: all))
      try combined.add(.init(second, entities: all))
      coordinator = StoreCoordinator(store: combined, classes: [:])
      context = ManagedObjectContext(coordinator: coordinator)
      for (code, store) in [first.identifier, second.identifier].enumerated() {
        let item = try context.insert(entityNamed: "Item")
        try item.setValue(code, forKey: "code")
        try context.assign(item, toStore: store)
        items.append(item)
      }
    }

    func setNames(_ name: String) throws {
      for item in items { try item.setValue(name, forKey: "name") }
    }

    /// The names that are stored, in the order of the stores.
    func names() throws -> [String?] {
      var request = FetchRequest<ManagedObject>(entityName: "Item")
      request.sortDescriptors = [FetchSort("code")]
      let reader = ManagedObjectContext(coordinator: coordinator)
      return try reader.fetch(request).map { try $0.value(forKey: "name") as? String }
    }
  }

  @Test func `1I.3 a save that one of the stores fails is completed by saving again`() throws {
    let scene = try Failing()
    for name in ["new", "changed"] {
      try scene.setNames(name)
      scene.second.failOnce()
      #expect(code { try scene.context.save() } == .sqlite)
      #expect(scene.context.hasChanges)
      try scene.context.save()
      #expect(!scene.context.hasChanges)
      #expect(try scene.names() == [name, name])
    }
    // What was saved at once is not saved again.
    #expect(try scene.first.historyExtent().last == 2)
    for item in scene.items { scene.context.delete(item) }
    scene.second.failOnce()
    #expect(code { try scene.context.save() } == .sqlite)
    try scene.context.save()
    #expect(try scene.names().isEmpty)
    #expect(try scene.first.historyExtent().last == 3)
  }

  @Test func `1I.3 the objects of the store that has saved may get more before saving again`()
    throws
  {
    let scene = try Failing()
    try scene.context.save()
    try scene.setNames("one")
    scene.second.failOnce()
    #expect(code { try scene.context.save() } == .sqlite)
    try scene.setNames("two")
    // The context's row is older than the one that its own save has left: a conflict, and no lost change.
    #expect(code { try scene.context.save() } == .managedObjectMerge)
    #expect(try scene.names() == ["one", nil])
    scene.context.mergePolicy = .mergeByPropertyObjectTrump
    try scene.context.save()
    #expect(try scene.names() == ["two", "two"])
  }

  @Test func `1I.3 what others have written to the store that failed is a conflict`() throws {
    let scene = try Failing()
    try scene.context.save()
    try scene.setNames("same")
    scene.second.failOnce()
    #expect(code { try scene.context.save() } == .sqlite)
    let other = ManagedObjectContext(
      coordinator: StoreCoordinator(store: scene.inner, classes: [:])
    )
    let item = try #require(try other.fetch(FetchRequest<ManagedObject>(entityName: "Item")).first)
    try item.setValue("same", forKey: "name")
    try other.save()
    // An equal row is another save's all the same: two that raise a number must not both succeed.
    #expect(code { try scene.context.save() } == .managedObjectMerge)
  }

  @Test func `1I.3 a rollback after a save that one store failed reads what is stored`() throws {
    let scene = try Failing()
    try scene.context.save()
    try scene.setNames("half")
    scene.second.failOnce()
    #expect(code { try scene.context.save() } == .sqlite)
    scene.context.rollback()
    #expect(!scene.context.hasChanges)
    #expect(try scene.names() == ["half", nil])
    scene.context.refreshAllObjects()
    #expect(try scene.items[0].value(forKey: "name") as? String == "half")
    try scene.setNames("whole")
    try scene.context.save()
    #expect(try scene.names() == ["whole", "whole"])
  }

  @Test func `1I.3 unique values are looked for in every store before one is written`() throws {
    let scene = try Failing()
    try scene.context.save()
    let late = ManagedObjectContext(coordinator: scene.coordinator)
    for (code, store) in [(10, scene.first.identifier), (1, scene.second.identifier)] {
      for number in 0..<600 where code == 10 || number == 0 {
        let item = try late.insert(entityNamed: "Item")
        try item.setValue(code + number, forKey: "code")
        try late.assign(item, toStore: store)
      }
    }
    let before = scene.coordinator.counters.statements
    #expect(code { try late.save() } == .managedObjectConstraintMerge)
    #expect(scene.coordinator.counters.statements - before < 20)
    #expect(try scene.names().count == 2)
  }
}
