// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

@Suite("SEMANTICS 1H.2: what contexts and their lists see of a batch update")
struct BatchUpdateNewsTests {
  @Test(arguments: StoreKind.allCases)
  func `1K.1 a list of its context that holds no objects is told of each updated row`(
    _ kind: StoreKind
  ) async throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<5)
    let controller = try scene.context.results(
      FetchRequest<ManagedObject>(entityName: "Note").sorted(by: FetchSort("key"))
    )
    var changes = controller.changes.makeAsyncIterator()
    #expect(await changes.next()?.after.objectIDs.count == 4)
    #expect(
      try scene.context.execute(BatchScene.update(["text": "few"], where: "stars < 3")).count == 2
    )
    let change = try #require(await changes.next())
    let updated = change.events.compactMap { event in
      if case .update(_, let from, _) = event { from.last } else { Int?.none }
    }
    #expect(updated == [0, 1] && change.events.count == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1H.2 a grandchild sees what it has written, though contexts above have other edits`(
    _ kind: StoreKind
  ) throws {
    let scene = try BatchScene(kind)
    try scene.insertNotes(1..<3)
    let middle = ManagedObjectContext(parent: scene.context)
    let leaf = ManagedObjectContext(parent: middle)
    let above = try middle.fetch(BatchScene.notes)
    let notes = try leaf.fetch(BatchScene.notes)
    try above[1].set(["text": "edited"])
    #expect(try leaf.execute(BatchScene.update(["text": "new"], where: "key == 1")).count == 1)
    #expect(try notes[0].value(forKey: "text") as? String == "new")
    #expect(try above[0].value(forKey: "text") as? String == "new")
    #expect(try above[1].value(forKey: "text") as? String == "edited")
  }

  @Test func `1H.2 the object that rows refer to is read once`() throws {
    let scene = try BatchScene(.sqlite)
    try scene.insertNotes(1..<201, owner: "a")
    let owner = try scene.context.insert(entityNamed: "Owner")
    try owner.setValue("b", forKey: "email")
    try scene.context.save()
    func statements(_ values: [String: (any Sendable)?]) throws -> Int {
      var request = BatchScene.update(values)
      request.validatesObjects = true
      let before = scene.bench.coordinator.counters.statements
      #expect(try scene.context.execute(request).count == 200)
      return scene.bench.coordinator.counters.statements - before
    }
    let usual = try statements(["text": "new"])
    #expect(try statements(["owner": owner.objectID]) <= usual + 2)
  }
}
