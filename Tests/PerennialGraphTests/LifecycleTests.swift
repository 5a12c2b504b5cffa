// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Synchronization
import Testing

/// An object that notes what is called on it.
final class Witness: ManagedObject, ManagedEntity {
  var events: [String] = []
  var title: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var saves: Int {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var others: ToMany<Witness> { _get(0) }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Witness.self,
        named: "Witness",
        superclass: ManagedObject.self,
        properties: [
          .of("title", String.self, default: "new"), .of("saves", Int.self, default: 0),
          .of("others", ToMany<Witness>.self, inverse: "others"),
        ]
      )
    }
    return Storage.entity
  }

  override func awakeFromInsert() { events.append("awake \(title)") }
  override func willSave() {
    events.append("willSave")
    if saves < 1, !isDeleted { saves += 1 }
  }
  override func didSave() { events.append("didSave") }
  override func prepareForDeletion() {
    events.append("prepare \(others.count)")
    managedObjectContext?.delete(self)
  }
}

@Suite("SEMANTICS 1D, 1F: the life of objects and contexts")
struct LifecycleTests {
  private func bench(_ kind: StoreKind) throws -> Bench {
    try Bench(kind, model: ManagedObjectModel(Witness.entity), classes: [Witness.self])
  }

  @Test(arguments: StoreKind.allCases)
  func `awake once after the defaults, willSave until nothing changes, didSave once`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let object = Witness(context: context)
    #expect(object.events == ["awake new"])
    try context.save()
    #expect(object.events == ["awake new", "willSave", "willSave", "didSave"])
    #expect(object.saves == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `prepareForDeletion comes once, while relationships are intact`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let (one, two) = (Witness(context: context), Witness(context: context))
    one.others.insert(two)
    try context.save()
    one.events = []
    context.delete(one)
    context.delete(one)
    try context.save()
    #expect(one.events == ["prepare 1", "willSave", "didSave"])
    #expect(two.others.isEmpty)
    #expect(one.managedObjectContext == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `a deleted object takes no changes`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let object = Witness(context: context)
    try context.save()
    context.delete(object)
    object.title = "other"
    #expect(object.title == "new")
    context.rollback()
    object.title = "other"
    #expect(object.title == "other")
  }

  @Test(arguments: StoreKind.allCases)
  func `changed and committed values tell the difference`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let object = Witness(context: context)
    #expect(object.changedValues().isEmpty)
    #expect(object.committedValues().isEmpty)
    object.title = "a"
    #expect(object.changedValues() == ["title": .string("a")])
    try context.save()
    #expect(object.changedValues().isEmpty)
    object.title = "b"
    #expect(object.changedValues() == ["title": .string("b")])
    #expect(object.committedValues() == ["title": .string("a"), "saves": .integer(1)])
  }

  @Test(arguments: StoreKind.allCases)
  func `nothing outlives its users`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    weak var object: Witness?
    weak var unsaved: Witness?
    weak var context: ManagedObjectContext?
    do {
      let made = bench.context()
      context = made
      do {
        let one = Witness(context: made)
        one.others.insert(Witness(context: made))
        try made.save()
        object = one
        #expect(one.others.count == 1)
      }
      #expect(object == nil)
      for witness in try made.fetch(FetchRequest<Witness>()) { witness.title = "changed" }
      made.rollback()
      let another = Witness(context: made)
      unsaved = another
      #expect(unsaved === another)
    }
    #expect(unsaved == nil)
    #expect(context == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `objects and contexts outlive what they came from`(_ kind: StoreKind) throws {
    var bench: Bench? = try bench(kind)
    var context: ManagedObjectContext? = bench?.context()
    let object = try #require(context.map { Witness(context: $0) })
    object.title = "kept"
    try context?.save()
    bench = nil
    object.title = "changed"
    #expect(object.isUpdated)
    context = nil
    #expect(object.title == "changed")
    #expect(object.others.count == 0)
    #expect(Array(object.others).isEmpty)
    object.others.insert(object)
    object.title = "ignored"
    #expect(object.title == "changed")
    #expect(object.changedValues().isEmpty)
  }

  @Test func `saved objects are released`() throws {
    let bench = try bench(.inMemory)
    let context = bench.context()
    weak var first: Witness?
    do {
      for number in 0..<10_000 {
        let object = Witness(context: context)
        object.title = "\(number)"
        if number == 0 { first = object }
      }
      #expect(first != nil)
      try context.save()
    }
    #expect(first == nil)
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `an enum of a gone object reads as its default`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let commit = Commit(context: context)
    commit.sha = "a"
    commit.kind = .merge
    try context.save()
    let other = bench.context()
    let author = Author(context: context)
    author.name = "x"
    commit.author = author
    try context.save()
    let stale = try #require(try other.fetch(Author.all).first)
    let member = try #require(stale.commits.map { $0 }.first)
    context.delete(commit)
    try context.save()
    #expect(member.kind == .merge)
    let third = bench.context()
    #expect(code { _ = try third.existingObject(with: member.objectID) } == .objectGone)
    let gone = try third.fault(Commit.self, for: member.objectID)
    #expect(gone.kind == .normal && gone.isGone)
  }

  @Test(arguments: StoreKind.allCases)
  func `appending to an ordered relationship loads nothing`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let team = Team(context: context)
    try context.save()
    let before = bench.coordinator.counters.statements
    for number in 0..<3_000 {
      let author = Author(context: context)
      author.name = "\(number)"
      team.members.append(author)
    }
    #expect(bench.coordinator.counters.statements == before)
    #expect(team.members.count == 3_000)
    #expect(team.members.map(\.name) == (0..<3_000).map { "\($0)" })
    try context.save()
    let reader = bench.context()
    let stored = try #require(try reader.fetch(Team.all).first)
    #expect(stored.members.map(\.name) == (0..<3_000).map { "\($0)" })
  }

  @Test(arguments: StoreKind.allCases)
  func `an order is saved though nobody holds its owner`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    do {
      let team = Team(context: context)
      for name in ["a", "b", "c"] {
        let author = Author(context: context)
        author.name = name
        team.members.append(author)
      }
      try context.save()
    }
    do { try #require(try context.fetch(Team.all).first).members.move(from: 0, to: 2) }
    #expect(context.hasChanges)
    try context.save()
    let reader = bench.context()
    #expect(try reader.fetch(Team.all).first?.members.map(\.name) == ["b", "c", "a"])
  }
}
