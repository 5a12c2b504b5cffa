// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1H.1: batch insertions")
struct BatchInsertTests {
  private struct Stop: Error {}

  @Test(arguments: StoreKind.allCases)
  func `1H.1 dictionaries become rows, with defaults for what they do not name`(
    _ kind: StoreKind
  ) throws {
    let scene = try BatchScene(kind)
    var request = BatchInsertRequest(
      entityName: "Note",
      objects: [["key": 2, "text": "two"], ["key": 1, "stars": 7], ["key": nil]]
    )
    request.resultType = .objectIDs
    let result = try scene.context.execute(request)
    #expect(result.count == 3 && result.objectIDs.count == 3)
    #expect(try scene.stored() == ["nil none nil", "1 none 7", "2 two nil"])
    let second = try scene.context.existingObject(with: result.objectIDs[1])
    #expect(try BatchScene.describe(second) == "1 none 7")
    #expect(!scene.context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 values may be of any type, as JSON has them`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    let owners = BatchInsertRequest(entityName: "Owner", objects: [["email": "ann"]])
    try scene.context.execute(owners)
    let rows: [[String: Any]] = [
      ["key": NSNumber(value: 1), "text": NSNull(), "owner": "ann"], ["key": 2, "text": "two"],
    ]
    #expect(
      try scene.context.execute(BatchInsertRequest(entityName: "Note", objects: rows)).count == 2
    )
    #expect(try scene.stored() == ["1 nil nil ann", "2 two nil"])
    let wrong: [[String: Any]] = [["key": 3, "text": NSObject()]]
    let error = #expect(throws: PerennialError.self) {
      try scene.context.execute(BatchInsertRequest(entityName: "Note", objects: wrong))
    }
    #expect(error?.code == .typeMismatch)
    #expect(try scene.stored().count == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 a handler gives dictionaries until it returns true`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    var next = 0
    let request = BatchInsertRequest(entityName: "Note") { values in
      #expect(values.isEmpty)
      next += 1
      values["key"] = next
      return next > 3
    }
    #expect(try scene.context.execute(request).count == 3)
    #expect(try scene.stored().map { $0.prefix(1) } == ["1", "2", "3"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 a handler fills objects of a class`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let author = Author(context: context)
    author.name = "Joe"
    try context.save()
    var next = 0
    var request = BatchInsertRequest(Commit.self) { commit in
      guard next < 3 else { return true }
      next += 1
      commit.sha = "sha \(next)"
      commit.author = try commit.managedObjectContext?.object(with: author.objectID)
      return false
    }
    request.resultType = .objectIDs
    let result = try context.execute(request)
    #expect(result.count == 3)
    #expect(Set(author.commits.map(\.objectID)) == Set(result.objectIDs))
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 a to-one relationship takes an ID, or the unique key of its object`(
    _ kind: StoreKind
  ) throws {
    let scene = try BatchScene(kind)
    var owners = BatchInsertRequest(
      entityName: "Owner",
      objects: [["email": "a@b"], ["email": "c@d"]]
    )
    owners.resultType = .objectIDs
    let ids = try scene.context.execute(owners).objectIDs
    let request = BatchInsertRequest(
      entityName: "Note",
      objects: [
        ["key": 1, "owner": "c@d"], ["key": 2, "owner": ids[0]], ["key": 3, "owner": nil],
      ]
    )
    try scene.context.execute(request)
    #expect(try scene.stored() == ["1 none nil c@d", "2 none nil a@b", "3 none nil"])
    let owner = try scene.context.existingObject(with: ids[0])
    #expect(try owner.objects(forKey: "notes").count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func
    `1H.1 the ID of a row that is gone, or of another entity, is an error, and nothing is written`(
      _ kind: StoreKind
    ) throws
  {
    let scene = try BatchScene(kind)
    let emails: [[String: (any Sendable)?]] = [["email": "a@b"], ["email": "c@d"]]
    var owners = BatchInsertRequest(entityName: "Owner", objects: emails)
    owners.resultType = .objectIDs
    let ids = try scene.context.execute(owners).objectIDs
    try scene.context.execute(BatchDeleteRequest(objectIDs: [ids[1]]))
    var pages = BatchInsertRequest(entityName: "Page", objects: [[:]])
    pages.resultType = .objectIDs
    let page = try #require(try scene.context.execute(pages).objectIDs.first)
    for (id, expected) in [(ids[1], PerennialError.Code.objectGone), (page, .typeMismatch)] {
      let request = BatchInsertRequest(
        entityName: "Note",
        objects: [["key": 1, "owner": ids[0]], ["key": 2, "owner": Optional(id)]]
      )
      #expect(code { try scene.context.execute(request) } == expected)
      #expect(try scene.stored().isEmpty)
    }
    try scene.insertNotes(1..<2)
    #expect(try scene.stored() == ["1 none 1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 rows that exist are merged as the policy says, the values that are not given stay`(
    _ kind: StoreKind
  ) throws {
    for (policy, expected) in [
      (MergePolicy.mergeByPropertyObjectTrump, ["1 none 9", "2 none nil"]),
      (.mergeByPropertyStoreTrump, ["1 none 1", "2 none nil"]),
      (.rollback, ["1 none 1", "2 none nil"]),
    ] {
      let scene = try BatchScene(kind)
      try scene.insertNotes(1..<2)
      try scene.context.execute(set("text", "mine", ofNote: 1))
      scene.context.mergePolicy = policy
      try scene.context.execute(
        BatchInsertRequest(entityName: "Note", objects: [["key": 1, "stars": 9], ["key": 2]])
      )
      let texts = expected.map { $0.replacing("1 none", with: "1 mine") }
      #expect(try scene.stored() == texts, "\(policy)")
    }
  }

  private func set(_ name: String, _ value: String, ofNote key: Int) -> BatchUpdateRequest {
    var request = BatchUpdateRequest(entityName: "Note", where: "key == \(key)")
    request.propertiesToUpdate = [name: value]
    return request
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 twins in one request become one row`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    scene.context.mergePolicy = .mergeByPropertyObjectTrump
    let objects: [[String: (any Sendable)?]] = [
      ["key": 1, "text": "first", "stars": 4], ["key": 1, "text": "second"],
    ]
    let request = BatchInsertRequest(entityName: "Note", objects: objects)
    #expect(try scene.context.execute(request).count == 2)
    #expect(try scene.stored() == ["1 second 4"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 a transient attribute, which no row has, is refused`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let request = BatchInsertRequest(
      entityName: "Commit",
      objects: [["sha": "1", "scratch": 1]]
    )
    #expect(code { try context.execute(request) } == .invalidRequest)
    #expect(try context.count(for: Commit.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 only the named properties of a row that exists are written`(
    _ kind: StoreKind
  ) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<2)
    scene.context.mergePolicy = .mergeByPropertyObjectTrump
    let objects: [[String: (any Sendable)?]] = [
      ["key": 1, "text": "new", "stars": 9], ["key": 2, "text": "new", "stars": 9],
    ]
    var request = BatchInsertRequest(entityName: "Note", objects: objects)
    request.propertiesToUpdate = ["stars"]
    try scene.context.execute(request)
    #expect(try scene.stored() == ["1 none 9", "2 new 9"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 without a merging policy a duplicate is an error, and nothing is written`(
    _ kind: StoreKind
  ) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<2)
    let request = BatchInsertRequest(entityName: "Note", objects: [["key": 2], ["key": 1]])
    #expect(code { try scene.context.execute(request) } == .managedObjectConstraintMerge)
    #expect(try scene.stored() == ["1 none 1"])
    #expect(!scene.context.hasChanges)
    #expect(try scene.context.fetch(BatchScene.notes).count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 rows are validated on request only`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    var request = BatchInsertRequest(entityName: "Note", objects: [["key": 1, "stars": -1]])
    request.validatesObjects = true
    #expect(code { try scene.context.execute(request) } == .numberTooSmall)
    #expect(try scene.stored().isEmpty)
    request.validatesObjects = false
    try scene.context.execute(request)
    #expect(try scene.stored() == ["1 none -1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 what a handler throws is thrown, and nothing is written`(_ kind: StoreKind) throws {
    let scene = try BatchScene(kind)
    var next = 0
    let request = BatchInsertRequest(entityName: "Note") { values in
      next += 1
      values["key"] = next
      if next == 3 { throw Stop() }
      return false
    }
    #expect(throws: Stop.self) { try scene.context.execute(request) }
    #expect(try scene.stored().isEmpty)
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      ("Note", "nonsense", PerennialError.Code.unknownName), ("Note", "key", .typeMismatch),
      ("Owner", "notes", .typeMismatch), ("Page", "owner", .objectGone),
      ("Sheet", "key", .unknownName),
    ]
  )
  func `1H.1 bad input is a typed error, and the context goes on`(
    _ kind: StoreKind,
    _ example: (entity: String, key: String, code: PerennialError.Code)
  ) throws {
    let scene = try BatchScene(kind)
    let request = BatchInsertRequest(
      entityName: example.entity,
      objects: [[example.key: "some text"]]
    )
    #expect(code { try scene.context.execute(request) } == example.code)
    try scene.insertNotes(1..<2)
    #expect(try scene.stored() == ["1 none 1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 a relationship whose objects have no key takes IDs only`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let request = BatchInsertRequest(
      entityName: "Commit",
      objects: [["sha": "1", "author": "Joe"]]
    )
    let error = #expect(throws: PerennialError.self) { try bench.context().execute(request) }
    #expect(error?.code == .typeMismatch && error?.recovery == "give an objectID")
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1H.1 contexts that hold the objects see the new values`(
    _ kind: StoreKind,
    _ isNested: Bool
  ) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<3)
    let other = scene.bench.context()
    other.automaticallyMergesChangesFromParent = true
    let held = try scene.context.fetch(BatchScene.notes)
    let others = try other.fetch(BatchScene.notes)
    try held[1].setValue("mine", forKey: "text")
    let context =
      isNested ? ManagedObjectContext(parent: scene.context) : scene.context
    context.mergePolicy = .mergeByPropertyObjectTrump
    let objects: [[String: (any Sendable)?]] = [["key": 1, "stars": 5], ["key": 2, "stars": 6]]
    try context.execute(BatchInsertRequest(entityName: "Note", objects: objects))
    try other.processPendingChanges()
    #expect(try held.map(BatchScene.describe) == ["1 none 5", "2 mine 6"])
    #expect(try others.map(BatchScene.describe) == ["1 none 5", "2 none 6"])
    try scene.context.save()
    #expect(try scene.stored() == ["1 none 5", "2 mine 6"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.1 a relationship that is not named stays, also when it is given by a key`(
    _ kind: StoreKind
  ) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<2, owner: "A")
    try scene.context.execute(BatchInsertRequest(entityName: "Owner", objects: [["email": "B"]]))
    scene.context.mergePolicy = .mergeByPropertyObjectTrump
    let objects: [[String: (any Sendable)?]] = [
      ["key": 1, "stars": 9, "owner": "B"], ["key": 2, "stars": 9, "owner": "B"],
    ]
    var request = BatchInsertRequest(entityName: "Note", objects: objects)
    request.propertiesToUpdate = ["stars"]
    try scene.context.execute(request)
    #expect(try scene.stored() == ["1 none 9 A", "2 none 9 B"])
  }

  @Test(arguments: StoreKind.allCases, mergingPolicies + [.custom { _ in .overwrite }])
  func `1H.1 what is not to be updated stays, by whatever policy`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let scene = try BatchScene(kind)
    let stored: [[String: (any Sendable)?]] = [["key": 1, "text": "mine", "stars": 1]]
    try scene.context.execute(BatchInsertRequest(entityName: "Note", objects: stored))
    scene.context.mergePolicy = policy
    let objects: [[String: (any Sendable)?]] = [
      ["key": 1, "stars": 2], ["key": 2, "text": "new", "stars": 2],
    ]
    var request = BatchInsertRequest(entityName: "Note", objects: objects)
    request.propertiesToUpdate = ["stars"]
    try scene.context.execute(request)
    let isStored = policy == .rollback || policy == .mergeByPropertyStoreTrump
    #expect(try scene.stored() == ["1 mine \(isStored ? 1 : 2)", "2 new 2"])
  }
}
