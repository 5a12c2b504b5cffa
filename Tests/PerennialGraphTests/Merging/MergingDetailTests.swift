// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Testing

/// Most conflicts are resolved and saved at once; here somebody looks in between.
@Suite("SEMANTICS 1M: between a conflict that was resolved and the save")
struct MergingDetailTests {
  /// Entities that are unique by one property each, and what leads to them.
  private func bench(_ kind: StoreKind) throws -> Bench {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Shelf",
        uniqueness: [["title"]],
        properties: [
          .attribute("title", .string, optional: true),
          .toMany("books", "Book", inverse: "shelf", ordered: true),
        ]
      ),
      EntityDescription("Book", properties: [.toOne("shelf", "Shelf", inverse: "books")]),
      EntityDescription(
        "Person",
        uniqueness: [["email"]],
        properties: [
          .attribute("email", .string, optional: true),
          .attribute("name", .string, optional: true),
        ]
      ),
      EntityDescription(
        "Paper",
        properties: [.attribute("title", .string, optional: true), .toOne("writer", "Person")]
      ),
      EntityDescription(
        "Card",
        uniqueness: [["code"]],
        properties: [
          .attribute("code", .string, optional: true),
          .attribute("name", .string, optional: true),
          .attribute("lower", .string, optional: true, derived: "lowercase:(name)"),
          .attribute(
            "price",
            .int64,
            optional: true,
            validation: ValidationRules(minimum: .integer(0))
          ),
        ]
      )
    )
    return try Bench(kind, model: model, classes: [])
  }

  private func all(_ entity: String) -> FetchRequest<ManagedObject> {
    FetchRequest(entityName: entity)
  }

  // MARK: Loading

  @Test(arguments: StoreKind.allCases)
  func `1M a context that loads nothing lazily resolves conflicts, and loads nothing lazily then`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error) { employee in
      let context = try #require(employee.managedObjectContext)
      try employee.link("department", try context.make("Department", ["title": "d"]))
    }
    try office.theirs.set(["name": "A"])
    try office.first.save()
    try office.ours.set(["name": "B"])
    let context = office.second
    let error = try failure { try context.save() }
    context.stalenessInterval = 0
    context.lazyLoading = .raiseOnLazyLoad
    try context.resolve(error.conflicts, using: .mergeByPropertyStoreTrump)
    #expect(office.ours.fullName == "A")
    let department = try #require(try office.ours.target("department"))
    #expect(department.isFault)
    #expect(code { _ = try department.value(forKey: "title") } == .lazyLoad)
    context.lazyLoading = .load
    #expect(try department.value(forKey: "title") as? String == "d")
  }

  // MARK: Members

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1M.1 an object that resolving lets go of is no member of anything at once`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    let office = try Office(kind, .error)
    let context = office.second
    context.automaticallyMergesChangesFromParent = merges
    let departments = try ["x", "y"].map { try context.make("Department", ["title": $0]) }
    for department in departments {
      try office.ours.link("department", department)
      if department === departments[0] { try context.save() }
      #expect(try department.ids("staff") == [office.ours.objectID])
    }
    let id = office.ours.objectID
    office.first.delete(office.theirs)
    office.first.mergePolicy = .overwrite
    try office.first.save()
    try context.processPendingChanges()
    let error = try failure { try context.save() }
    #expect(error.code == .managedObjectMerge)
    try context.resolve(error.conflicts, using: .mergeByPropertyStoreTrump)
    #expect(office.ours.isGone && context.registeredObject(for: id) == nil)
    for department in departments {
      let staff = try department.objects(forKey: "staff")
      #expect(staff.count == 0 && staff.objectIDs.isEmpty)
    }
    try context.save()
    for department in try office.all("Department") {
      #expect(try department.ids("staff").isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies)
  func `1M.1 targets have the members that a policy leaves them, and those of others, at once`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let office = try Office(kind, .error)
    let context = office.second
    let here = try context.make("Department", ["title": "here"])
    try context.save()
    try office.ours.link("department", here)
    #expect(try here.ids("staff") == [office.ours.objectID])
    let there = try office.first.make("Department", ["title": "there"])
    try office.theirs.link("department", there)
    let colleague = try office.first.make("Employee", ["badge": "c"])
    try colleague.link("department", try office.first.existingObject(with: here.objectID))
    try office.first.save()
    let error = try failure { try context.save() }
    try context.resolve(error.conflicts, using: policy)
    let isTheirs = policy == .rollback || policy == .mergeByPropertyStoreTrump
    let (ours, other) = (office.ours.objectID, colleague.objectID)
    let target = try context.existingObject(with: there.objectID)
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      #expect(try here.ids("staff") == (isTheirs ? [other] : [other, ours]), "saved: \(isSaved)")
      #expect(try target.ids("staff") == (isTheirs ? [ours] : []), "saved: \(isSaved)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 discarding drops the order that was given to the members of an object`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let (first, second) = (bench.context(), bench.context())
    let theirs = Team(context: first)
    for name in ["a", "b", "c"] { theirs.members.append(first.insertAuthor(name)) }
    try first.save()
    let ours = try second.object(Team.self, with: theirs.objectID)
    ours.title = "ours"
    ours.members.move(from: 2, to: 0)
    #expect(ours.members.map(\.name) == ["c", "a", "b"])
    theirs.title = "theirs"
    try first.save()
    let error = try failure { try second.save() }
    try second.discard(error.conflicts)
    #expect(ours.title == "theirs" && ours.members.map(\.name) == ["a", "b", "c"])
    #expect(!second.hasChanges)
    try second.save()
    let reader = bench.context()
    let stored = try reader.object(Team.self, with: theirs.objectID)
    #expect(stored.members.map(\.name) == ["a", "b", "c"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 lists without an inverse count the survivor once, and the absorbed one not`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let other = try office.first.make("Employee", ["badge": "b"])
    let theirs = try (0..<2).map { _ in try office.first.make("Club") }
    for club in theirs { try club.objects(forKey: "members").insert(other) }
    try theirs[1].objects(forKey: "members").insert(office.theirs)
    try office.first.save()
    let context = office.second
    let clubs = try theirs.map { try context.existingObject(with: $0.objectID) }
    let loser = try context.existingObject(with: other.objectID)
    try loser.set(["badge": "a"])
    _ = try context.fetch(all("Employee"))
    #expect(loser.isForwarding)
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      for club in clubs {
        let members = try club.objects(forKey: "members")
        #expect(members.count == 1 && members.objectIDs == [office.ours.objectID])
      }
    }
    let stored = try office.all("Club")
    #expect(stored.count == 2)
    for club in stored { #expect(try club.ids("members") == [office.ours.objectID]) }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 an absorbed owner of ordered members is none of the changed objects`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let (first, context) = (bench.context(), bench.context())
    context.mergePolicy = .mergeByPropertyObjectTrump
    let shelves = try ["a", "b"].map { try first.make("Shelf", ["title": $0]) }
    let books = try (0..<2).map { _ in try first.make("Book") }
    for book in books { try book.link("shelf", shelves[1]) }
    try first.save()
    let ours = try shelves.map { try context.existingObject(with: $0.objectID) }
    let new = try context.make("Book")
    try new.link("shelf", ours[1])
    try ours[1].set(["title": "a"])
    _ = try context.fetch(all("Shelf"))
    #expect(ours[1].isForwarding && !ours[0].isForwarding)
    let moved = try books.map { try context.existingObject(with: $0.objectID) }
    #expect(context.updatedObjects == Set(moved + [ours[0]]))
    #expect(context.insertedObjects == [new])
    #expect(context.deletedObjects.map(\.objectID) == [shelves[1].objectID])
    try context.save()
    let reader = bench.context()
    let stored = try reader.existingObject(with: shelves[0].objectID)
    #expect(try stored.ids("books") == Set((moved + [new]).map(\.objectID)))
  }

  // MARK: What refers to an object

  @Test(arguments: StoreKind.allCases)
  func `1M.1 what led to objects in one round of conflicts says nothing of the next`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let (first, context) = (bench.context(), bench.context())
    context.mergePolicy = .mergeByPropertyStoreTrump
    let theirs = try first.make("Person", ["email": "x"])
    let paper = try first.make("Paper", ["title": "old"])
    try paper.link("writer", theirs)
    try first.save()
    // Several merges in one round: from the second on there is a table of who refers to what.
    let twins = try (0..<3).map { _ in try context.make("Person", ["email": "same"]) }
    let papers = try twins.map { twin in
      let paper = try context.make("Paper")
      try paper.link("writer", twin)
      return paper
    }
    try context.processPendingChanges()
    #expect(twins.map(\.isForwarding) == [false, true, true])
    try context.save()
    let writers = try papers.map { try $0.target("writer")?.objectID }
    #expect(Set(writers) == [twins[0].objectID])

    let person = try context.existingObject(with: theirs.objectID)
    let ours = try context.existingObject(with: paper.objectID)
    try person.set(["name": "new"])
    try ours.set(["title": "new"])
    first.delete(theirs)
    try first.save()
    try context.save()
    #expect(person.isGone)
    #expect(try ours.objectIDs(forRelationshipNamed: "writer").isEmpty)
    let reader = bench.context()
    let stored = try reader.existingObject(with: paper.objectID)
    #expect(try stored.objectIDs(forRelationshipNamed: "writer").isEmpty)
    #expect(try stored.value(forKey: "title") as? String == "new")
  }

  // MARK: Values

  @Test(
    arguments: StoreKind.allCases,
    [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyObjectTrumpOverwritingUnset]
  )
  func `1M.2 an assigned value that is equal counts as changed, and its derived copy does not`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let bench = try bench(kind)
    let (first, context) = (bench.context(), bench.context())
    context.mergePolicy = policy
    let values: [String: (any Sendable)?] = ["code": "c", "name": "Bob", "price": 10]
    let theirs = try first.make("Card", values)
    try first.save()
    let newcomer = try context.make("Card", values)
    #expect(try context.fetch(all("Card")).count == 1)
    #expect(newcomer.isForwarding)
    #expect(Set(newcomer.changedValues().keys) == ["name", "price"])
    try theirs.set(["name": "Ann", "price": 7])
    try first.save()
    try context.save()
    let reader = bench.context()
    let stored = try reader.existingObject(with: theirs.objectID)
    let texts = try ["name", "lower"].map { try stored.value(forKey: $0) as? String }
    #expect(texts == ["Bob", "bob"])
    #expect(try stored.value(forKey: "price") as? Int64 == 10)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 of three equal objects that which was assigned last wins, not that merged first`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let objects = try (1...3).map {
      try office.second.make("Employee", ["badge": "t", "name": "\($0)"])
    }
    try objects[1].set(["salary": 2])
    try objects[0].set(["salary": 1])
    try office.second.processPendingChanges()
    #expect(objects.map(\.isForwarding) == [false, true, true])
    #expect(objects[0].fullName == "3" && objects[0].salary == 1)
    try office.second.save()
    #expect(try office.all("Employee").compactMap(\.fullName).sorted() == ["3", "Alice"])
  }

  // MARK: Conflicts

  @Test(arguments: StoreKind.allCases)
  func `1M a save that fails for another reason leaves none of the conflicts of an earlier one`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let (first, context) = (bench.context(), bench.context())
    _ = try first.make("Card", ["code": "c"])
    try first.save()
    let card = try context.make("Card", ["code": "c"])
    let conflicts = try failure { try context.save() }.conflicts
    #expect(conflicts.count == 1 && context.conflicts == conflicts)
    try card.set(["price": -1])
    let error = try failure { try context.save() }
    #expect(error.conflicts.isEmpty && context.conflicts.isEmpty)
    try card.set(["price": 1])
    #expect(code { try context.save() } == .managedObjectConstraintMerge)
    #expect(context.conflicts.map(\.objectID) == conflicts.map(\.objectID))
    context.delete(card)
    try context.processPendingChanges()
    try context.save()
    #expect(context.conflicts.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M a save that has nothing to do leaves no conflicts either`(_ kind: StoreKind) throws {
    let office = try Office(kind, .error)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    try office.ours.set(["name": "B"])
    #expect(code { try office.second.save() } == .managedObjectMerge)
    #expect(office.second.conflicts.count == 1)
    office.second.refresh(office.ours, mergeChanges: false)
    #expect(!office.second.hasChanges)
    try office.second.save()
    #expect(office.second.conflicts.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 an object that is stored again is not gone any more`(_ kind: StoreKind) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    office.second.automaticallyMergesChangesFromParent = true
    try office.ours.set(["name": "B"])
    office.first.delete(office.theirs)
    try office.first.save()
    try office.second.processPendingChanges()
    #expect(office.ours.isGone && !office.ours.isDeleted)
    try office.second.save()
    #expect(!office.ours.isGone && !office.ours.isDeleted && !office.ours.hasChanges)
    try office.ours.set(["name": "C"])
    try office.second.save()
    #expect(try office.stored?.fullName == "C")
  }

  // MARK: What deletions cost

  /// The statements that the save of a deletion takes, after another deletion or after none.
  private func statementsOfDeletion(_ kind: StoreKind, isSecond: Bool) throws -> Int {
    let bench = try bench(kind)
    let context = bench.context()
    let shelves = try (0..<3).map { try context.make("Shelf", ["title": "\($0)"]) }
    try context.save()
    if isSecond {
      context.delete(shelves[0])
      try context.save()
    }
    try context.make("Book").link("shelf", shelves[1])
    try context.save()
    context.delete(shelves[2])
    let before = bench.coordinator.counters.statements
    try context.save()
    return bench.coordinator.counters.statements - before
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 what was saved between two deletions is no news for the rules of the second`(
    _ kind: StoreKind
  ) throws {
    let costs = try [false, true].map { try statementsOfDeletion(kind, isSecond: $0) }
    #expect(costs[0] == costs[1])
  }
}
