// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1D.13: detectConflicts and obtainPermanentIDs")
struct WatchedObjectTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: an unchanged object that changed elsewhere stops the save`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    office.second.detectConflicts(for: office.ours)
    let other = try office.second.make("Employee", ["badge": "b"])
    try office.theirs.set(["name": "A"])
    try office.first.save()
    let error = try failure { try office.second.save() }
    #expect(error.code == .managedObjectMerge)
    #expect(error.conflicts.map(\.objectID) == [office.ours.objectID])
    #expect(other.isInserted && !office.ours.hasChanges)
    office.second.mergePolicy = .mergeByPropertyObjectTrump
    try office.second.save()
    #expect(office.ours.fullName == "A" && !other.isInserted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: a fault is as it was when it was asked for`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    office.second.refresh(office.ours, mergeChanges: false)
    #expect(office.ours.isFault)
    office.second.detectConflicts(for: office.ours)
    try office.theirs.set(["name": "A"])
    try office.first.save()
    #expect(code { try office.second.save() } == .managedObjectMerge)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: of two contexts that read an object only one saves`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    office.first.detectConflicts(for: office.theirs)
    office.second.detectConflicts(for: office.ours)
    try office.second.save()
    #expect(code { try office.first.save() } == .managedObjectMerge)
    office.first.rollback()
    try office.first.save()
    try office.second.save()
    #expect(try office.stored?.fullName == "Alice" && office.ours.salary == 10)
    try office.ours.set(["name": "B"])
    try office.second.save()
    #expect(try office.stored?.fullName == "B")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: a watched object that was deleted elsewhere`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    office.second.detectConflicts(for: office.ours)
    office.first.delete(office.theirs)
    try office.first.save()
    #expect(code { try office.second.save() } == .managedObjectMerge)
    office.second.mergePolicy = .overwrite
    var invalidated: Set<ManagedObject> = []
    let token = office.second.onObjectsDidChange { invalidated.formUnion($0.invalidated) }
    try office.second.save()
    #expect(office.ours.managedObjectContext == nil)
    #expect(invalidated == [office.ours])
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.13 detectConflicts: an object that only gets members is checked, and counts as changed`(
    _ kind: StoreKind,
    fetches: Bool
  ) throws {
    let team = EntityDescription(
      "Team",
      properties: [
        .attribute("name", .string, optional: true),
        .attribute("size", .int64, derived: "members.@count"),
        .toMany("members", "Member"),
      ]
    )
    let member = EntityDescription("Member", properties: [.toOne("team", "Team")])
    let bench = try Bench(kind, model: ManagedObjectModel(team, member), classes: [])
    let (first, second, third) = (bench.context(), bench.context(), bench.context())
    let theirs = try first.insert(entityNamed: "Team")
    try first.save()
    let teams = try [second, third].map { context in
      let team = try context.existingObject(with: theirs.objectID)
      context.detectConflicts(for: team)
      try context.make("Member").link("team", team)
      return team
    }
    try second.save()
    let request = FetchRequest<ManagedObject>(entityName: "Team")
    if fetches { _ = try third.fetch(request) }
    #expect(code { try third.save() } == .managedObjectMerge)
    third.rollback()
    for (context, team) in zip([third, second], teams.reversed()) {
      _ = try context.fetch(request)
      try team.setValue("new", forKey: "name")
      try context.save()
      #expect(try team.value(forKey: "size") as? Int64 == 1)
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.13 detectConflicts: an object with transient changes only is checked`(
    _ kind: StoreKind,
    fetches: Bool
  ) throws {
    let bench = try Bench(kind)
    let (first, second) = (bench.context(), bench.context())
    let theirs = Commit(context: first)
    theirs.sha = "a"
    try first.save()
    let ours = try second.object(Commit.self, with: theirs.objectID)
    second.detectConflicts(for: ours)
    ours.scratch = 7
    try second.save()
    ours.message = "next"
    try second.save()
    second.detectConflicts(for: ours)
    ours.scratch = 8
    _ = try first.fetch(Commit.all)
    theirs.message = "theirs"
    try first.save()
    if fetches { _ = try second.fetch(Commit.all) }
    let error = try failure { try second.save() }
    #expect(error.code == .managedObjectMerge)
    try second.discard(error.conflicts)
    try second.save()
    #expect(ours.message == "theirs")
    ours.message = "last"
    try second.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: an object that was found gone when it was read is a conflict`(
    _ kind: StoreKind
  ) throws {
    for merges in [false, true] {
      let office = try Office(kind, .error)
      office.second.detectConflicts(for: office.ours)
      let other = try office.second.make("Employee", ["badge": "b"])
      office.first.delete(office.theirs)
      try office.first.save()
      office.second.refresh(office.ours, mergeChanges: merges)
      #expect(office.ours.fullName == nil)
      let error = try failure { try office.second.save() }
      #expect(error.code == .managedObjectMerge)
      #expect(error.conflicts.map(\.objectID) == [office.ours.objectID])
      try office.second.discard(error.conflicts)
      try office.second.save()
      #expect(!other.isInserted && office.ours.managedObjectContext == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: a fault whose row is gone is a conflict`(_ kind: StoreKind) throws {
    let office = try Office(kind, .error)
    office.second.detectConflicts(for: office.ours)
    office.second.refresh(office.ours, mergeChanges: false)
    office.first.delete(office.theirs)
    try office.first.save()
    #expect(office.ours.isFault)
    let error = try failure { try office.second.save() }
    #expect(error.conflicts.map(\.objectID) == [office.ours.objectID])
  }

  /// How a context comes to know of what others have saved.
  enum News: CaseIterable { case fetch, processing, refresh, merge }

  @Test(arguments: StoreKind.allCases, News.allCases)
  func `1D.13 detectConflicts: what was read since hides no conflict, of an edited object neither`(
    _ kind: StoreKind,
    _ news: News
  ) throws {
    for isEdited in [false, true] {
      let office = try Office(kind, .error)
      let context = office.second
      context.automaticallyMergesChangesFromParent = news == .processing
      context.detectConflicts(for: office.ours)
      if isEdited { try office.ours.set(["name": "B"]) }
      try office.theirs.set(["name": "A"])
      try office.first.save()
      switch news {
      case .fetch: _ = try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee"))
      case .processing: try context.processPendingChanges()
      case .refresh: context.refresh(office.ours, mergeChanges: isEdited)
      case .merge:
        let changes = ObjectChanges(refreshed: [office.ours.objectID])
        try context.mergeChanges(fromRemoteContextSave: changes)
      }
      context.detectConflicts(for: office.ours)
      let error = try failure { try context.save() }
      #expect(error.code == .managedObjectMerge)
      #expect(error.conflicts.map(\.objectID) == [office.ours.objectID])
      for case .version(let conflict) in error.conflicts {
        #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
      }
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      #expect(try office.stored?.fullName == (isEdited ? "B" : "A"))
      #expect(office.ours.fullName == (isEdited ? "B" : "A"))
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.13 detectConflicts: a conflict can be discarded, and resolved`(
    _ kind: StoreKind,
    isGone: Bool
  ) throws {
    let policies: [MergePolicy] = [.rollback, .mergeByPropertyObjectTrump, .overwrite]
    for policy in policies {
      let office = try Office(kind, .error)
      office.second.detectConflicts(for: office.ours)
      let other = try office.second.make("Employee", ["badge": "b"])
      if isGone { office.first.delete(office.theirs) } else { try office.theirs.set(["name": "A"]) }
      try office.first.save()
      let error = try failure { try office.second.save() }
      #expect(error.code == .managedObjectMerge)
      try office.second.resolve(error.conflicts, using: policy)
      #expect(office.second.conflicts.isEmpty && other.isInserted)
      try office.second.save()
      #expect(!other.isInserted)
      #expect(office.ours.managedObjectContext == nil || office.ours.fullName == "A")
      #expect((office.ours.managedObjectContext == nil) == isGone)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 obtainPermanentIDs: the ID is permanent and the object still new`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let context = office.second
    let employee = try context.make("Employee", ["badge": "b"])
    let department = try context.make("Department")
    try employee.link("department", department)
    let temporary = employee.objectID
    try context.obtainPermanentIDs(for: [employee, employee, department, office.ours])
    let id = employee.objectID
    #expect(temporary.isTemporaryID && !id.isTemporaryID && id != office.ours.objectID)
    #expect(employee.isInserted && context.registeredObject(for: id) === employee)
    #expect(context.registeredObject(for: temporary) === employee)
    #expect(employee.changedValues()["department"] == .objectID(department.objectID))
    #expect(try context.existingObject(with: id) === employee)
    #expect(try office.all("Employee").count == 1)
    try context.obtainPermanentIDs(for: [employee])
    #expect(employee.objectID == id)
    try context.save()
    #expect(employee.objectID == id && !employee.isInserted)
    #expect(try office.all("Employee").contains { $0.objectID == id })
    #expect(try office.all("Department").map(\.objectID) == [department.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 obtainPermanentIDs: the ID of an absorbed object leads to the survivor`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .mergeByPropertyObjectTrump)
    let newcomer = try office.second.make("Employee", ["badge": "a"])
    try office.second.obtainPermanentIDs(for: [newcomer])
    let id = newcomer.objectID
    try office.second.save()
    #expect(newcomer.objectID == office.ours.objectID)
    #expect(try office.second.existingObject(with: id) === office.ours)
    #expect(code { _ = try office.bench.context().existingObject(with: id) } == .objectGone)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 obtainPermanentIDs: a rollback makes the ID one of nothing`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let newcomer = try office.second.make("Employee")
    try office.second.obtainPermanentIDs(for: [newcomer])
    let id = newcomer.objectID
    office.second.rollback()
    #expect(office.second.registeredObject(for: id) == nil)
    #expect(code { _ = try office.second.existingObject(with: id) } == .objectGone)
  }

  @Test(arguments: StoreKind.allCases)
  func
    `1D.13 detectConflicts: all watched objects are checked, and one that is changed is written once`(
      _ kind: StoreKind
    ) throws
  {
    let office = try Office(kind, .error)
    let others = try (0..<3).map { try office.first.make("Employee", ["badge": "\($0)"]) }
    try office.first.save()
    for other in others {
      office.second.detectConflicts(for: try office.second.existingObject(with: other.objectID))
    }
    office.second.detectConflicts(for: office.ours)
    try office.ours.set(["name": "B"])
    try office.second.save()
    for object in others + [office.theirs] { try object.set(["grade": 7]) }
    let error = try failure { try office.first.save() }
    #expect(Set(error.conflicts.map(\.objectID)) == Set((others + [office.theirs]).map(\.objectID)))
    for case .version(let conflict) in error.conflicts {
      #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
    }
    #expect(try office.stored?.fullName == "B")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: a child's object is checked when its parent saves`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let child = ManagedObjectContext(parent: office.second)
    child.detectConflicts(for: try child.existingObject(with: office.ours.objectID))
    try child.save()
    try office.theirs.set(["name": "A"])
    try office.first.save()
    #expect(code { try office.second.save() } == .managedObjectMerge)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 detectConflicts: there is nothing to check of a new object, nor of one that is gone`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let newcomer = try office.second.make("Employee", ["badge": "n"])
    office.second.detectConflicts(for: newcomer)
    office.second.delete(office.ours)
    try office.second.save()
    office.second.detectConflicts(for: office.ours)
    try office.second.save()
    #expect(try office.all("Employee").map(\.objectID) == [newcomer.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 an object of another context is refused, and one that is gone gets no other ID`(
    _ kind: StoreKind
  ) throws {
    let office = try Office(kind, .error)
    let foreign = try office.first.make("Employee", ["badge": "f"])
    office.second.detectConflicts(for: office.theirs)
    #expect(code { try office.second.processPendingChanges() } == .foreignObject)
    #expect(code { try office.second.obtainPermanentIDs(for: [foreign]) } == .foreignObject)
    #expect(foreign.objectID.isTemporaryID)
    office.second.delete(office.ours)
    try office.second.save()
    let id = office.ours.objectID
    try office.second.obtainPermanentIDs(for: [office.ours])
    #expect(office.ours.objectID == id)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.13 obtainPermanentIDs: relationships and fetches give the permanent ID too`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let (author, commit) = (Author(context: context), Commit(context: context))
    author.name = "Joe"
    commit.sha = "a"
    commit.author = author
    try context.obtainPermanentIDs(for: [commit, author])
    let (authorID, commitID) = (author.objectID, commit.objectID)
    #expect(!authorID.isTemporaryID && !commitID.isTemporaryID)
    #expect(author.commits.objectIDs == [commitID])
    #expect(try author.objectIDs(forRelationshipNamed: "commits") == [commitID])
    #expect(try commit.objectIDs(forRelationshipNamed: "author") == [authorID])
    #expect(try context.fetchObjectIDs(Commit.all) == [commitID])
    #expect(commit.changedValues()["author"] == .objectID(authorID))
    try context.save()
    #expect(try context.fetchObjectIDs(Commit.all) == [commitID])
    #expect(try commit.objectIDs(forRelationshipNamed: "author") == [authorID])
  }
}
