// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import RandomTesting
import RowTesting
import Synchronization
import Testing

@testable import PerennialStore

/// That a store in memory finds what it is asked for, and does not search.
@Suite("The state of a store in memory")
struct InMemoryStateTests {
  private let model: ModelLayout

  init() throws {
    model = try ManagedObjectModel(
      EntityDescription(
        "Shelf",
        properties: [
          .toMany("items", "Item", inverse: "shelf", ordered: true),
          .toMany("labels", "Label", inverse: "shelves"),
          .toMany("peers", "Shelf", inverse: "peers"),
        ]
      ),
      EntityDescription(
        "Item",
        properties: [
          .attribute("size", .int64, optional: true), .toOne("shelf", "Shelf", inverse: "items"),
        ]
      ),
      EntityDescription("Box", parent: "Item", properties: []),
      EntityDescription("Label", properties: [.toMany("shelves", "Shelf", inverse: "labels")])
    ).layout
  }

  // MARK: Work

  /// A key that counts how often it is compared.
  private struct CountingKey: Comparable, Sendable {
    static let count = Atomic(0)

    let value: Int

    static func < (left: Self, right: Self) -> Bool {
      count.add(1, ordering: .relaxed)
      return left.value < right.value
    }

    static func == (left: Self, right: Self) -> Bool {
      count.add(1, ordering: .relaxed)
      return left.value == right.value
    }
  }

  @Test func `a key is found in a hundred thousand by thirty comparisons`() {
    var table = SortedTable<CountingKey, Int>()
    for value in 0..<100_000 { table[CountingKey(value: value)] = value }
    for value in [0, 1, 255, 256, 50_001, 99_999] {
      let before = CountingKey.count.load(ordering: .relaxed)
      #expect(table[CountingKey(value: value)] == value)
      #expect(CountingKey.count.load(ordering: .relaxed) - before <= 30)
    }
    let before = CountingKey.count.load(ordering: .relaxed)
    table[CountingKey(value: 50_000)] = nil
    table[CountingKey(value: 50_000)] = 1
    #expect(CountingKey.count.load(ordering: .relaxed) - before <= 60)
  }

  @Test func `what a to-many relationship leads to is indexed once, and saves keep it up to date`()
    throws
  {
    let store = InMemoryStore(model: model)
    try store.save(
      model.insertion([
        ("Shelf", [Row(1), Row(2)]), ("Item", [Row(1, ["shelf": .reference("Shelf", 1)])]),
      ])
    )
    let items = try model.relationship("Shelf", "items")
    let place = ReferenceIndexes.Place(
      entity: model.index("Item"),
      slot: try #require(items.inverseSlot)
    )
    func references() -> ReferenceIndexes { store.currentState().references }
    #expect(leads(items, from: 1, to: 1, in: store.currentState()))
    #expect(!leads(items, from: 2, to: 1, in: store.currentState()))
    #expect(!references().contains(place), "one member is looked up by its own row")
    #expect(try store.countMembers(of: items, owners: [1, 2]) == [1: 1])
    #expect(references().contains(place))
    var changes = model.insertion([("Box", [Row(7, ["shelf": .reference("Shelf", 2)])])])
    changes.updates = [
      model.update("Item", ["shelf"], [Row(1, version: 2, ["shelf": .reference("Shelf", 2)])])
    ]
    let before = store.currentState()
    try store.save(changes)
    #expect(references().contains(place))
    #expect(try store.countMembers(of: items, owners: [1, 2]) == [2: 2])
    #expect(before.members(of: items, owner: 1).map(\.key) == [1])
    #expect(before.members(of: items, owner: 2).isEmpty)
  }

  // MARK: Answers

  @Test(arguments: PropertyRuns.seeds(usually: 5))
  func `members are those that a search finds, after every save`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = InMemoryStore(model: model)
    try store.save(model.insertion([("Label", (Int64(1)...6).map { Row($0) })]))
    for step in 0..<60 {
      try store.save(try changes(&random, in: store.currentState()))
      let state = store.currentState()
      for name in ["items", "labels", "peers"] {
        let relationship = try model.relationship("Shelf", name)
        for owner in Int64(1)...6 {
          let found = Set(state.members(of: relationship, owner: owner).map(\.key))
          let expected = searched(relationship, owner, in: state)
          #expect(found == expected, "seed \(seed), step \(step), \(name) of \(owner)")
          let each = state.rows(in: StoreQuery(entity: relationship.destination), matching: nil)
            .map(\.key).filter { leads(relationship, from: owner, to: $0, in: state) }
          #expect(Set(each) == expected, "seed \(seed), step \(step), \(name) of \(owner)")
        }
      }
    }
  }

  /// Whether the query for one member of an owner finds it.
  private func leads(
    _ relationship: RelationshipLayout,
    from owner: Int64,
    to member: Int64,
    in state: InMemoryState
  ) -> Bool {
    let query = StoreQuery(
      entity: relationship.destination,
      scope: .relatedMember(relationship, owner: owner, member: member)
    )
    return state.rows(in: query, matching: nil).map(\.key) == [member]
  }

  /// The members of an owner, found by a look at everything.
  private func searched(
    _ relationship: RelationshipLayout,
    _ owner: Int64,
    in state: InMemoryState
  ) -> Set<Int64> {
    var keys: Set<Int64> = []
    if let side = relationship.side {
      for pair in state.links[side.link].pairs {
        let isSymmetric = model.links[side.link].isSymmetric
        if pair.first == owner, side.isFirst || isSymmetric { keys.insert(pair.second) }
        if pair.second == owner, !side.isFirst || isSymmetric { keys.insert(pair.first) }
      }
    } else if let slot = relationship.inverseSlot {
      let rows = state.tables[model.entities[relationship.destination].root].filter { row in
        PackedRow.reference(row.pointer, slot).key == owner
      }
      keys = Set(rows.map(\.key))
    }
    let table = state.tables[model.entities[relationship.destination].root]
    return keys.filter { table[$0] != nil }
  }

  private func changes(_ random: inout SeededGenerator, in state: InMemoryState) throws -> ChangeSet
  {
    func key(_ random: inout SeededGenerator) -> Int64 { .random(in: 1...6, using: &random) }
    var changes = ChangeSet()
    for (entity, key) in [("Shelf", key(&random)), ("Item", key(&random) * 3)] {
      let root = model.index(entity)
      let shelf = Row.Value.reference("Shelf", self.key(&random))
      guard let stored = state.tables[root][key] else {
        let name = entity == "Item" && Bool.random(using: &random) ? "Box" : entity
        let values = entity == "Item" ? ["shelf": shelf] : [:]
        changes.insertions.append(
          .init(entity: model.index(name), pages: model.pages(name, [Row(key, values)]))
        )
        continue
      }
      if Int.random(in: 0..<3, using: &random) == 0 {
        changes.deletions.append(
          .init(entity: stored.entity, rows: [.init(key: key, version: stored.version)])
        )
      } else if entity == "Item" {
        let row = Row(key, version: stored.version + 1, ["shelf": shelf])
        changes.updates.append(model.update("Item", ["shelf"], [row]))
      }
    }
    let shelves = state.tables[model.index("Shelf")]
    let (first, second) = (key(&random), key(&random))
    if shelves[first] != nil, shelves[second] != nil {
      let isAdded = Bool.random(using: &random)
      for name in ["peers", "labels"] {
        changes.links.append(
          try model.link(
            "Shelf",
            name,
            added: isAdded ? [(first, second)] : [],
            removed: isAdded ? [] : [(first, second)]
          )
        )
      }
    }
    return changes
  }

  private func key(_ random: inout SeededGenerator) -> Int64 { .random(in: 1...6, using: &random) }

  @Test func `an order names what is there first, and the rest follow in their old order`() throws {
    let store = InMemoryStore(model: model)
    let shelf = Row.Value.reference("Shelf", 1)
    let items = try model.relationship("Shelf", "items")
    var changes = model.insertion([
      ("Shelf", [Row(1)]), ("Item", (Int64(1)...4).map { Row($0, ["shelf": shelf]) }),
    ])
    changes.orders = [.init(relationship: items, owner: 1, members: [4, 3, 2, 1])]
    try store.save(changes)
    var next = ChangeSet()
    next.orders = [.init(relationship: items, owner: 1, members: [2, 9])]
    try store.save(next)
    #expect(store.currentState().members(of: items, owner: 1).map(\.key) == [2, 4, 3, 1])
    #expect(store.currentState().order(of: items, owner: 1) == [2, 4, 3, 1])
    var deletion = ChangeSet()
    deletion.deletions = [model.deletion("Shelf", [(1, 1)])]
    try store.save(deletion)
    #expect(store.currentState().order(of: items, owner: 1).isEmpty)
  }

  // MARK: Lists of a custom store

  @Test(
    arguments: [
      ([1, 2, 3], [2], [4], nil, false, [1, 3, 4]),
      ([1, 2], [], [2, 5, 5], nil, false, [1, 2, 5]),
      ([1, 2, 3], [], [], [3, 1], false, [3, 1, 2]), ([1, 3], [], [], [3, 2, 1], false, [3, 1]),
      ([1, 2, 3], [], [], [3, 4], true, [3, 4]), ([1, 2, 3], [], [], nil, true, []),
      ([2, 2, 1], [], [], nil, false, [2, 1]),
    ] as [([Int64], [Int64], [Int64], [Int64]?, Bool, [Int64])]
  )
  func `1I.6 a change of a list removes, adds and orders what is there`(
    old: [Int64],
    removed: [Int64],
    added: [Int64],
    order: [Int64]?,
    replacesList: Bool,
    expected: [Int64]
  ) {
    let change = StoreChanges.MemberChange(
      relationship: StoreRelationship(
        entityName: "Shelf",
        name: "labels",
        table: "Shelf",
        destinationTable: "Label",
        isOrdered: order != nil
      ),
      owner: 1,
      removed: removed,
      added: added,
      order: order,
      replacesList: replacesList
    )
    #expect(change.applied(to: old) == expected)
  }
}
