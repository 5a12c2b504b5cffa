// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("Attributes that are called as the object is in conditions")
struct IdentityNameTests {
  private static let conditions = [
    "%K == 'one'", "%K != 'one'", "%K IN {'one', 'two'}", "%K BEGINSWITH 'o'", "%K CONTAINS[c] 'O'",
    "%K == nil", "other.%K == 'one'",
  ]

  /// With few attributes and with many, whose slots are found in another way.
  @Test(arguments: StoreKind.allCases, [0, 20])
  func `1G.4 self and objectID are the object, before and after a save`(
    _ kind: StoreKind,
    _ count: Int
  ) throws {
    let names = ["self", "objectID"] + (0..<count).map { "name\($0)" }
    let attributes = names.map { PropertyDescription.attribute($0, .string, optional: true) }
    let thing = EntityDescription("Thing", properties: attributes + [.toOne("other", "Thing")])
    let bench = try Bench(kind, model: ManagedObjectModel(thing), classes: [])
    let context = bench.context()
    for text in ["one", "two"] {
      let object = try context.insert(entityNamed: "Thing")
      for name in names { try object.setValue(text, forKey: name) }
      try object.setObject(object, forKey: "other")
    }
    func answers(_ context: ManagedObjectContext) throws -> [String: Int?] {
      var answers: [String: Int?] = [:]
      for name in ["self", "objectID"] {
        for condition in Self.conditions {
          var request = FetchRequest<ManagedObject>(entityName: "Thing")
          request.predicate = try FetchPredicate(parsing: condition, arguments: [name])
          answers["\(condition) \(name)"] = try? context.fetch(request).count
        }
      }
      return answers
    }
    let unsaved = try answers(context)
    try context.save()
    #expect(try answers(context) == unsaved)
    let fresh = bench.context()
    #expect(try answers(fresh) == unsaved)
    // An object is no text.
    #expect(unsaved["%K IN {'one', 'two'} self"] == 0)
    let stored = try fresh.fetch(FetchRequest<ManagedObject>(entityName: "Thing"))
    #expect(try Set(stored.map { try $0.value(forKey: "self") as? String }) == ["one", "two"])
  }
}
