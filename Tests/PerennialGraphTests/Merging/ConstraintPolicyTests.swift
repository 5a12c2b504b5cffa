// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M.2: constraint results")
struct ConstraintPolicyTests {
  /// Under each policy: what the survivor has where only the newcomer, both or only it had a value.
  struct Expectation: Sendable {
    let policy: MergePolicy
    /// Stored Alice, newcomer's name B.
    let name: String?
    /// Stored 10, never assigned to the newcomer.
    let salary: Int64?
    /// Stored 5, the newcomer has the default 1.
    let grade: Int64
  }

  static let expectations = [
    Expectation(policy: .mergeByPropertyObjectTrump, name: "B", salary: 10, grade: 5),
    Expectation(
      policy: .mergeByPropertyObjectTrumpOverwritingUnset,
      name: "B",
      salary: nil,
      grade: 1
    ),
    Expectation(policy: .mergeByPropertyStoreTrump, name: "Alice", salary: 10, grade: 5),
    Expectation(policy: .overwrite, name: "B", salary: nil, grade: 1),
    Expectation(policy: .rollback, name: "Alice", salary: 10, grade: 5),
  ]

  @Test(arguments: StoreKind.allCases, expectations)
  func `1M.2 the stored object survives with its ID and the policy's values`(
    _ kind: StoreKind,
    _ expected: Expectation
  ) throws {
    let office = try Office(kind, expected.policy) { try $0.set(["grade": 5]) }
    let newcomer = try office.second.make("Employee", ["badge": "a", "name": "B"])
    let temporary = newcomer.objectID
    try office.second.save()
    #expect(newcomer.isForwarding && !office.ours.isForwarding)
    #expect(newcomer.objectID == office.theirs.objectID)
    #expect(try office.second.existingObject(with: temporary) === office.ours)
    #expect(!office.second.hasChanges)
    let rows = try office.all("Employee")
    #expect(rows.count == 1)
    for object in [newcomer, office.ours] + rows {
      #expect(object.fullName == expected.name)
      #expect(object.salary == expected.salary)
      #expect(object.grade == expected.grade)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 store trump: what the stored object lacks is filled by the newcomer`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyStoreTrump) {
      try $0.set(["name": nil, "salary": nil])
    }
    _ = try office.second.make("Employee", ["badge": "a", "name": "B"])
    try office.second.save()
    #expect(try office.stored?.fullName == "B")
    #expect(try office.stored?.salary == nil)
  }

  @Test(arguments: StoreKind.allCases, expectations)
  func `1M.2 twins of one save follow the same rules`(
    _ kind: StoreKind,
    _ expected: Expectation
  ) throws {
    let bench = try Bench(kind, model: Office.model())
    let context = bench.context()
    context.mergePolicy = expected.policy
    let older = try context.make(
      "Employee",
      ["badge": "t", "name": "Alice", "salary": 10, "grade": 5]
    )
    let newer = try context.make("Employee", ["badge": "t", "name": "B"])
    try context.save()
    #expect(newer.isForwarding && !older.isForwarding)
    #expect(older.fullName == expected.name)
    #expect(older.salary == expected.salary)
    #expect(older.grade == expected.grade)
    let reader = bench.context()
    let rows = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
    #expect(rows.map(\.fullName) == [expected.name])
    #expect(rows.map(\.salary) == [expected.salary])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 error: 133021 names constraint, values, stored and new object`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let newcomer = try office.second.make("Employee", ["badge": "a", "name": "B"])
    let error = try failure { try office.second.save() }
    #expect(error.code == .managedObjectConstraintMerge)
    guard case .constraint(let conflict)? = error.conflicts.first, error.conflicts.count == 1
    else {
      Issue.record("not one constraint conflict")
      return
    }
    #expect(conflict.constraint == ["badge"])
    #expect(conflict.constraintValues == ["badge": .string("a")])
    #expect(conflict.databaseObjectID == office.theirs.objectID)
    #expect(conflict.databaseSnapshot?["name"] == .string("Alice"))
    #expect(conflict.conflictingObjectIDs == [newcomer.objectID])
    #expect(conflict.conflictingSnapshots == [["badge": .string("a"), "name": .string("B")]])
    #expect(newcomer.isInserted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 error among twins: no database object and both new ones`(_ kind: StoreKind) throws {
    let office = try Office(kind, .error)
    let one = try office.second.make("Employee", ["badge": "t"])
    let two = try office.second.make("Employee", ["badge": "t"])
    let error = try failure { try office.second.processPendingChanges() }
    #expect(error.code == .managedObjectConstraintMerge)
    guard case .constraint(let conflict)? = error.conflicts.first else {
      Issue.record("not a constraint conflict")
      return
    }
    #expect(conflict.databaseObjectID == nil && conflict.databaseSnapshot == nil)
    #expect(conflict.conflictingObjectIDs == [two.objectID, one.objectID])
  }

  // MARK: Stored objects that are given another one's values

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.2 a stored object is absorbed, or gets its own values back`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy)
    let other = try office.second.make("Employee", ["badge": "b", "name": "Bob", "salary": 20])
    try office.second.save()
    try other.set(["badge": "a", "name": "B"])
    try office.second.save()
    let rows = Dictionary(
      uniqueKeysWithValues: try office.all("Employee").map { ($0.objectID, $0) }
    )
    let survivor = try #require(rows[office.ours.objectID])
    if policy == .rollback || policy == .mergeByPropertyStoreTrump {
      #expect(rows.count == 2 && !other.isForwarding && !office.second.hasChanges)
      let stored = try #require(rows[other.objectID])
      #expect(try stored.value(forKey: "badge") as? String == "b")
      #expect(stored.fullName == (policy == .rollback ? "Bob" : "B"))
      #expect(survivor.fullName == "Alice")
    } else {
      #expect(rows.count == 1 && other.isForwarding)
      #expect(survivor.fullName == "B")
      #expect(survivor.salary == (policy == .overwrite ? 20 : 10))
    }
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.2 an object cannot stand for one with more properties`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy)
    let chief = try office.second.make("Chief", ["badge": "a", "car": "c"])
    let error = try failure { try office.second.save() }
    #expect(error.code == .managedObjectConstraintMerge && error.conflicts.count == 1)
    #expect(chief.isInserted)
    try chief.set(["badge": "c"])
    try office.second.save()
    #expect(try office.all("Employee").count == 2)
  }

  // MARK: Known gaps of before

  @Test(arguments: StoreKind.allCases)
  func `1M.2 of two assignments in one save the later wins, whoever was assigned first`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    try office.ours.set(["salary": 1])
    let newcomer = try office.second.make("Employee", ["badge": "a", "name": "new", "salary": 2])
    try office.ours.set(["name": "later"])
    try office.second.save()
    #expect(newcomer.isForwarding)
    #expect(try office.stored?.fullName == "later")
    #expect(try office.stored?.salary == 2)
    let entry = try #require(office.second.lastMergeReport?.entries.first)
    #expect(entry.choice(for: "name")?.reason == .assignedLater)
    #expect(entry.choice(for: "salary")?.reason == .assigned)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 of twins the later assignment wins, also to the older one`(_ kind: StoreKind) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let older = try office.second.make("Employee", ["badge": "t", "name": "1", "salary": 1])
    let newer = try office.second.make("Employee", ["badge": "t", "name": "2", "salary": 2])
    try older.set(["name": "3", "grade": 1])
    try office.second.save()
    #expect(newer.isForwarding)
    #expect(older.fullName == "3" && older.salary == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 of two assignments of values that are there already the later wins`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let older = try office.second.make("Employee", ["badge": "t", "salary": 3])
    _ = try office.second.make("Employee", ["badge": "t", "salary": nil])
    try older.set(["salary": 3])
    try office.second.save()
    #expect(older.salary == 3)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func
    `1M.2 unset values overwrite what was assigned before the unique value, whenever it is noticed`(
      _ kind: StoreKind,
      _ isProcessed: Bool
    ) throws
  {
    let office = try Office(kind, .mergeByPropertyObjectTrumpOverwritingUnset)
    let older = try office.second.make("Employee", ["badge": "t", "name": "X", "salary": 10])
    _ = try office.second.make("Employee", ["badge": "t"])
    if isProcessed { try office.second.processPendingChanges() }
    try older.set(["salary": 11])
    _ = try office.second.make("Employee", ["badge": "a"])
    if isProcessed { try office.second.save() }
    try office.ours.set(["salary": 12])
    try office.second.save()
    #expect(older.fullName == nil && older.salary == 11)
    #expect(office.ours.fullName == nil && office.ours.salary == 12)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 an assigned value counts as changed, also if the survivor has read the same`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    try office.ours.set(["grade": 2])
    _ = try office.second.make("Employee", ["badge": "a", "salary": 10])
    try office.theirs.set(["name": "A", "salary": 50])
    try office.first.save()
    try office.second.save()
    let stored = try #require(try office.stored)
    #expect(stored.fullName == "A" && stored.salary == 10 && stored.grade == 2)
  }

  @Test(arguments: StoreKind.allCases, [MergePolicy.rollback, .mergeByPropertyStoreTrump])
  func `1M.2 a newcomer meets the row as it is stored, not as this save would have made it`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, policy)
    try office.ours.set(["salary": 99])
    let newcomer = try office.second.make("Employee", ["badge": "b"])
    for salary in [40, 50] {
      try office.theirs.set(["badge": "b", "salary": salary])
      try office.first.save()
    }
    try office.second.save()
    #expect(newcomer.isForwarding && office.ours.salary == 50)
    #expect(try office.stored?.salary == 50)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 stored rows that name an absorbed one name the survivor`(_ kind: StoreKind) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let other = try office.first.make("Employee", ["badge": "b"])
    let award = try office.first.make("Award")
    try award.link("winner", other)
    let club = try office.first.make("Club")
    try club.objects(forKey: "members").insert(other)
    let both = try office.first.make("Club")
    try both.objects(forKey: "members").insert(other)
    try both.objects(forKey: "members").insert(office.theirs)
    try office.first.save()
    let loser = try office.second.existingObject(with: other.objectID)
    let ourClubs = try [club, both].map { try office.second.existingObject(with: $0.objectID) }
    #expect(try ourClubs.map { try $0.objects(forKey: "members").count } == [1, 2])
    try loser.set(["badge": "a"])
    try office.second.save()
    #expect(loser.isForwarding)
    let id = office.theirs.objectID
    for club in ourClubs {
      let members = try club.objects(forKey: "members")
      #expect(members.map(\.objectID) == [id] && members.count == 1 && !club.hasChanges)
    }
    #expect(try office.all("Award").first?.target("winner")?.objectID == id)
    let clubs = try office.all("Club")
    #expect(clubs.count == 2)
    for club in clubs { #expect(try club.ids("members") == [id]) }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 minus zero and zero are one value under a constraint`(_ kind: StoreKind) throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Point",
        uniqueness: [["x"]],
        properties: [.attribute("x", .double, optional: true)]
      )
    )
    let bench = try Bench(kind, model: model)
    let context = bench.context()
    let one = try context.make("Point", ["x": 0.0])
    let two = try context.make("Point", ["x": -0.0])
    #expect(code { try context.processPendingChanges() } == .managedObjectConstraintMerge)
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    #expect(one.objectID == two.objectID)
    let other = bench.context()
    _ = try other.make("Point", ["x": -0.0])
    #expect(code { try other.save() } == .managedObjectConstraintMerge)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a rollback after a merge makes everything as it was`(_ kind: StoreKind) throws {
    for policy in mergingPolicies {
      let office = try Office(kind, policy)
      _ = try office.second.make("Employee", ["badge": "a", "name": "B"])
      try office.ours.set(["salary": 5])
      try office.second.processPendingChanges()
      office.second.rollback()
      #expect(office.ours.fullName == "Alice" && office.ours.salary == 10)
      #expect(!office.second.hasChanges)
    }
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyObjectTrumpOverwritingUnset,
      .overwrite,
    ]
  )
  func `1M.2 of two stored objects with one unique value each the one that stays has both`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let users = EntityDescription(
      "User",
      uniqueness: [["email"], ["login"]],
      properties: [
        .attribute("email", .string, optional: true), .attribute("login", .string, optional: true),
      ]
    )
    // By the others an unset login overwrites that which was given before.
    for isGivenBefore in policy == .mergeByPropertyObjectTrump ? [false, true] : [false] {
      let bench = try Bench(kind, model: ManagedObjectModel(users))
      let context = bench.context()
      context.mergePolicy = policy
      let one = try context.make("User", ["email": "new", "login": "old"])
      let two = try context.make("User", ["email": "old", "login": "ada"])
      try context.save()
      if isGivenBefore { try one.set(["login": "ada"]) }
      let newcomer = try context.make(
        "User",
        isGivenBefore ? ["email": "new"] : ["email": "new", "login": "ada"]
      )
      try context.save()
      #expect(one.isForwarding && newcomer.isForwarding && newcomer.objectID == two.objectID)
      let reader = bench.context()
      let rows = try reader.fetch(FetchRequest<ManagedObject>(entityName: "User"))
      let emails = try rows.map { try $0.value(forKey: "email") as? String }
      let logins = try rows.map { try $0.value(forKey: "login") as? String }
      #expect(emails == ["new"] && logins == ["ada"])
    }
  }
}
