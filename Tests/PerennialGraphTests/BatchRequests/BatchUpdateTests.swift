// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

@Suite("SEMANTICS 1H.2: batch updates")
struct BatchUpdateTests {
  @Test(arguments: StoreKind.allCases)
  func `1H.2 the rows of a condition get the values, the others stay`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<5)
    var request = BatchScene.update(["text": "few", "stars": nil], where: "stars < 3")
    request.resultType = .objectIDs
    let result = try scene.context.execute(request)
    #expect(result.count == 2)
    let notes = try scene.context.fetch(BatchScene.notes)
    #expect(Set(result.objectIDs) == Set(notes.prefix(2).map(\.objectID)))
    #expect(try scene.stored() == ["1 few nil", "2 few nil", "3 none 3", "4 none 4"])
    #expect(try scene.context.execute(BatchScene.update(["text": "all"])).count == 4)
    #expect(try scene.context.execute(BatchScene.update([:])).count == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 values have the key paths' types`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    for number in 0..<3 { Commit(context: context).sha = "\(number)" }
    try context.save()
    var request = BatchUpdateRequest(Commit.self, where: "sha != '1'")
    request.set(\Commit.message, to: "fixed")
    request.set(\Commit.date, to: Date(timeIntervalSinceReferenceDate: 1))
    #expect(try context.execute(request).count == 2)
    let commits = try bench.context().fetch(Commit.all.sorted(by: \.sha))
    #expect(commits.map(\.message) == ["fixed", "", "fixed"])
    #expect(commits.map(\.date.timeIntervalSinceReferenceDate) == [1, 0, 1])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 subentities are updated unless the request leaves them out`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let (badge, gold) = (Badge(context: context), GoldBadge(context: context))
    try context.save()
    var request = BatchUpdateRequest(Badge.self)
    request.propertiesToUpdate = ["text": "all"]
    #expect(try context.execute(request).count == 2)
    #expect(badge.text == "all" && gold.text == "all")
    request.propertiesToUpdate = ["text": "own"]
    request.includesSubentities = false
    #expect(try context.execute(request).count == 1)
    #expect(badge.text == "own" && gold.text == "all")
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 a relationship takes an ID, and both sides see it`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<4, owner: "a@b")
    let owner = try #require(
      try scene.context.fetch(FetchRequest<ManagedObject>(entityName: "Owner")).first
    )
    try scene.context.execute(BatchScene.update(["owner": nil], where: "key != 2"))
    #expect(try owner.objects(forKey: "notes").count == 1)
    try scene.context.execute(BatchScene.update(["owner": owner.objectID], where: "key == 3"))
    #expect(try owner.objects(forKey: "notes").count == 2)
    #expect(try scene.stored() == ["1 none 1", "2 none 2 a@b", "3 none 3 a@b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 expressions are computed of each row as it was`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<3)
    var request = BatchScene.update(["text": "raised"])
    request.expressionsToUpdate = [
      ExpressionDescription("key", format: "key + stars * 10"),
      ExpressionDescription("stars", format: "key + 100"),
    ]
    #expect(try scene.context.execute(request).count == 2)
    #expect(try scene.stored() == ["11 raised 101", "22 raised 102"])
    request.propertiesToUpdate = [:]
    for (name, text, expected) in [
      ("stars", "'many'", PerennialError.Code.typeMismatch),
      ("stars", "nonsense + 1", .unknownName),
      ("nonsense", "1", .unknownName), ("owner", "1", .typeMismatch),
    ] {
      request.expressionsToUpdate = [try ExpressionDescription(name, parsing: text)]
      #expect(code { try scene.context.execute(request) } == expected, "\(name) = \(text)")
    }
    #expect(try scene.stored() == ["11 raised 101", "22 raised 102"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 expressions see other rows as they were, too`(_ kind: StoreKind) throws {
    let bench = try Bench(
      kind,
      model: ManagedObjectModel(
        EntityDescription(
          "Step",
          properties: [
            .attribute("number", .int64), .attribute("level", .int64),
            .toOne("parent", "Step", inverse: "children"),
            .toMany("children", "Step", inverse: "parent"),
          ]
        )
      ),
      classes: []
    )
    let context = bench.context()
    var last: ManagedObject?
    for number in 1...4 {
      let step = try context.insert(entityNamed: "Step")
      try step.setValue(number, forKey: "number")
      try step.setValue(5, forKey: "level")
      try step.setObject(last, forKey: "parent")
      last = step
    }
    try context.save()
    var request = BatchUpdateRequest(entityName: "Step", where: "parent != nil")
    request.expressionsToUpdate = [ExpressionDescription("level", format: "parent.level + 1")]
    #expect(try context.execute(request).count == 3)
    let steps = FetchRequest<ManagedObject>(entityName: "Step").sorted(by: FetchSort("number"))
    let other = bench.context()
    let levels = try other.fetch(steps).map { try $0.value(forKey: "level") as? Int64 }
    #expect(levels == [5, 6, 6, 6])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 a row that has had the value counts as changed, too`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<3, owner: "a@b")
    let owner = try #require(
      try scene.context.fetch(FetchRequest<ManagedObject>(entityName: "Owner")).first
    )
    var validated = BatchScene.update(["text": "none"])
    validated.validatesObjects = true
    for request in [
      BatchScene.update(["text": "none"]), validated, BatchScene.update(["owner": owner.objectID]),
    ] {
      let stale = scene.bench.context()
      let old = try stale.fetch(BatchScene.notes)
      #expect(try scene.context.execute(request).count == 2)
      try old[1].setValue(9, forKey: "stars")
      #expect(code { try stale.save() } == .managedObjectMerge)
    }
    #expect(try scene.stored() == ["1 none 1 a@b", "2 none 2 a@b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 the history names a relationship that stays`(_ kind: StoreKind) throws {
    let bench = try Bench.history(kind)
    let context = bench.context()
    let houses = House.make("Elm", in: context)
    let person = try Person.stored("Ann", in: context)
    person.home = houses[0]
    try context.save()
    for validates in [false, true] {
      var request = BatchUpdateRequest(Person.self)
      request.propertiesToUpdate = ["home": houses[0].objectID]
      request.validatesObjects = validates
      #expect(try context.execute(request).count == 1)
      let changes = try #require(try context.history().last).changes
      let own = changes.filter { $0.changedObjectID == person.objectID }
      #expect(own.map(\.updatedProperties) == [["home"]])
    }
    #expect(try bench.historyWords() == ["Ann -1.0 - Elm []", "Elm 1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 a member of an ordered relationship that stays keeps its place and counts as changed`(
    _ kind: StoreKind
  ) throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Box",
        properties: [.toMany("items", "Item", inverse: "box", ordered: true)]
      ),
      EntityDescription(
        "Item",
        properties: [.attribute("name", .string), .toOne("box", "Box", inverse: "items")]
      )
    )
    let bench = try Bench(kind, model: model, classes: [])
    let context = bench.context()
    let box = try context.insert(entityNamed: "Box")
    for name in ["a", "b"] {
      let item = try context.insert(entityNamed: "Item")
      try item.setValue(name, forKey: "name")
      try item.setObject(box, forKey: "box")
    }
    try context.save()
    let stale = bench.context()
    let items = FetchRequest<ManagedObject>(entityName: "Item").sorted(by: FetchSort("name"))
    let old = try stale.fetch(items)
    var request = BatchUpdateRequest(entityName: "Item", where: "name == 'a'")
    request.propertiesToUpdate = ["box": box.objectID]
    #expect(try context.execute(request).count == 1)
    try old[0].setValue("c", forKey: "name")
    #expect(code { try stale.save() } == .managedObjectMerge)
    let reader = bench.context()
    let read = try #require(try reader.fetch(FetchRequest<ManagedObject>(entityName: "Box")).first)
    let names = try read.objects(forKey: "items").map { try $0.value(forKey: "name") as? String }
    #expect(names == ["a", "b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 a transient attribute, which no row has, is refused`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    _ = context.insertCommit("a")
    try context.save()
    var request = BatchUpdateRequest(Commit.self)
    request.propertiesToUpdate = ["scratch": 1]
    #expect(code { try context.execute(request) } == .invalidRequest)
    request.propertiesToUpdate = [:]
    request.expressionsToUpdate = [ExpressionDescription("scratch", format: "1")]
    #expect(code { try context.execute(request) } == .invalidRequest)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 derived attributes follow`(_ kind: StoreKind) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let label = Label(context: context)
    let shelf = Shelf(context: context)
    (shelf.title, label.shelf) = ("old", shelf)
    try context.save()
    var request = BatchUpdateRequest(entityName: "Shelf")
    request.propertiesToUpdate = ["title": "Süß"]
    try context.execute(request)
    #expect(label.copies == label.expectedCopies && shelf.title == "Süß")
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 two rows of one unique value are an error whatever the policy, and nothing is written`(
    _ kind: StoreKind
  ) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<3)
    scene.context.mergePolicy = .mergeByPropertyObjectTrump
    let error = #expect(throws: PerennialError.self) {
      try scene.context.execute(BatchScene.update(["key": 7]))
    }
    #expect(error?.code == .managedObjectConstraintMerge)
    #expect(error?.entity == "Note" && error?.property == "key")
    #expect(error?.message == "Two rows of 'Note' would have the same 'key', which is unique.")
    let one = BatchScene.update(["key": 2], where: "key == 1")
    #expect(code { try scene.context.execute(one) } == .managedObjectConstraintMerge)
    #expect(try scene.stored() == ["1 none 1", "2 none 2"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 rows are validated on request only`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<3)
    var request = BatchScene.update(["stars": -1], where: "key == 1")
    request.validatesObjects = true
    #expect(code { try scene.context.execute(request) } == .numberTooSmall)
    #expect(try scene.stored() == ["1 none 1", "2 none 2"])
    request.validatesObjects = false
    try scene.context.execute(request)
    #expect(try scene.stored() == ["1 none -1", "2 none 2"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 contexts that hold the objects see the values, and keep their own changes`(
    _ kind: StoreKind
  ) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<3)
    let other = scene.bench.context()
    other.automaticallyMergesChangesFromParent = true
    let stale = scene.bench.context()
    let (held, others, old) = (
      try scene.context.fetch(BatchScene.notes), try other.fetch(BatchScene.notes),
      try stale.fetch(BatchScene.notes)
    )
    try held[0].setValue("mine", forKey: "text")
    try scene.context.execute(BatchScene.update(["stars": 8]))
    try other.processPendingChanges()
    #expect(try held.map(BatchScene.describe) == ["1 mine 8", "2 none 8"])
    #expect(try others.map(BatchScene.describe) == ["1 none 8", "2 none 8"])
    try scene.context.save()
    // Whoever has an older version meets a conflict.
    try old[1].setValue("late", forKey: "text")
    #expect(code { try stale.save() } == .managedObjectMerge)
    #expect(try scene.stored() == ["1 mine 8", "2 none 8"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 an element that is named besides its composite attribute wins`(
    _ kind: StoreKind
  ) throws {
    let places = (0..<4).map { "place\($0)" }
    let elements = ["x", "y"].map { AttributeDescription($0, .double, isOptional: true) }
    let attributes = places.map { name in
      PropertyDescription.attribute(
        AttributeDescription(name, .composite, isOptional: true, elements: elements)
      )
    }
    let model = try ManagedObjectModel(EntityDescription("Tree", properties: attributes))
    let bench = try Bench(kind, model: model, classes: [])
    let context = bench.context()
    _ = try context.insert(entityNamed: "Tree")
    try context.save()
    var request = BatchUpdateRequest(entityName: "Tree")
    for place in places {
      request.propertiesToUpdate[place] = ["x": 1.0, "y": 2.0] as [String: any Sendable]
      request.propertiesToUpdate["\(place).x"] = 3.0
    }
    try context.execute(request)
    let reader = bench.context()
    let tree = try #require(
      try reader.fetch(FetchRequest<ManagedObject>(entityName: "Tree")).first
    )
    for place in places {
      #expect(try tree.value(forKey: "\(place).x") as? Double == 3)
      #expect(try tree.value(forKey: "\(place).y") as? Double == 2)
    }
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      ("nonsense", PerennialError.Code.unknownName), ("stars", .typeMismatch),
      ("owner", .typeMismatch),
    ]
  )
  func `1H.2 bad input is a typed error`(
    _ kind: StoreKind,
    _ example: (key: String, code: PerennialError.Code)
  ) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<2)
    #expect(
      code { try scene.context.execute(BatchScene.update([example.key: "x"])) } == example.code
    )
    let condition = BatchScene.update(["text": "x"], where: "nonsense == 1")
    #expect(code { try scene.context.execute(condition) } == .unknownName)
    var owners = BatchUpdateRequest(entityName: "Owner")
    owners.propertiesToUpdate = ["notes": nil]
    #expect(code { try scene.context.execute(owners) } == .typeMismatch)
    #expect(try scene.stored() == ["1 none 1"])
  }
}
