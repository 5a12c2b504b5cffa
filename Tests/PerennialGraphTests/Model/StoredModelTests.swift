// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1A: what a model means for the objects of a store")
struct StoredModelTests {
  @Test(arguments: StoreKind.allCases)
  func `1A.4 subentities share keys and tables, and are fetched with their root or without`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let plain = Badge(context: context)
    let gold = GoldBadge(context: context)
    gold.carats = 22
    try context.save()
    let reader = bench.context()
    #expect(Set(try reader.fetch(Badge.all).map(\.objectID)) == [plain.objectID, gold.objectID])
    var request = FetchRequest<Badge>()
    request.includesSubentities = false
    #expect(try reader.fetch(request).map(\.objectID) == [plain.objectID])
    #expect(try reader.fetch(GoldBadge.all).map(\.carats) == [22])
    #expect(try reader.object(Badge.self, with: gold.objectID) is GoldBadge)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.5 every type that can be stored comes back as it was`(_ kind: StoreKind) throws {
    let date = Date(timeIntervalSinceReferenceDate: 123.25)
    let values: [(String, AttributeType, PropertyValue)] = [
      ("a", .int16, .integer(-32768)), ("b", .int32, .integer(2_147_483_647)),
      ("c", .int64, .integer(.min)),
      ("d", .decimal, .decimal(Decimal(sign: .minus, exponent: -3, significand: 12345))),
      ("e", .double, .double(0.1)), ("f", .float, .double(0.5)),
      ("g", .string, .string("ä\(kind.nul)x")),
      ("h", .bool, .boolean(true)), ("i", .date, .date(date)),
      ("j", .binaryData, .data(Data([0, 255]))), ("k", .uuid, .uuid(UUID())),
      ("l", .transformable, .data(Data([7]))),
    ]
    let entity = EntityDescription(
      "A",
      properties: values.map { .attribute($0.0, $0.1, optional: true) }
    )
    let bench = try Bench(kind, model: try ManagedObjectModel(entity), classes: [])
    let context = bench.context()
    let object = try context.insert(entityNamed: "A")
    for (name, _, value) in values { try object.setValue(sendable(value), forKey: name) }
    try context.save()
    let reader = bench.context()
    let read = try reader.existingObject(with: object.objectID).committedValues()
    for (name, _, value) in values { #expect(read[name] == value, "\(name)") }
  }

  private func sendable(_ value: PropertyValue) -> (any Sendable)? {
    switch value {
    case .integer(let value): value
    case .decimal(let value): value
    case .double(let value): value
    case .string(let value): value
    case .boolean(let value): value
    case .date(let value): value
    case .data(let value): value
    case .uuid(let value): value
    default: nil
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.12 a fetch request of the model is copied and its variables are bound`(
    _ kind: StoreKind
  ) throws {
    let templates = [
      FetchRequestTemplate(
        "bySha",
        entity: "Commit",
        predicate: "sha BEGINSWITH $START",
        fetchLimit: 1
      ),
      FetchRequestTemplate(
        "prolific",
        entity: "Author",
        predicate: "SUBQUERY(commits, $c, $c.message == $WORD).@count > 0"
      ),
    ]
    let model = try ManagedObjectModel(
      entities: fixtureClasses.map { $0.entity },
      fetchRequestTemplates: templates
    )
    let bench = try Bench(kind, model: model)
    let context = bench.context()
    for sha in ["a1", "a2", "b1"] { Commit(context: context).sha = sha }
    let author = Author(context: context)
    author.name = "Ann"
    try #require(try context.first(Commit.filter("sha == 'b1'"))).author = author
    try context.save()
    let request: FetchRequest<Commit> = try model.fetchRequest(
      fromTemplate: "bySha",
      substitutionVariables: ["START": "a"]
    )
    #expect(try context.fetch(request).count == 1)
    #expect(try context.fetch(request.limit(0)).count == 2)
    let busy: FetchRequest<Author> = try model.fetchRequest(
      fromTemplate: "prolific",
      substitutionVariables: ["WORD": ""]
    )
    #expect(try context.fetch(busy).map(\.name) == ["Ann"])
    typealias Request = FetchRequest<Commit>
    #expect(
      code { let _: Request = try model.fetchRequest(fromTemplate: "bySha") }
        == .predicateEvaluation
    )
    #expect(code { let _: Request = try model.fetchRequest(fromTemplate: "byhSa") } == .unknownName)
    #expect(
      code {
        _ = try ManagedObjectModel(
          entities: fixtureClasses.map { $0.entity },
          fetchRequestTemplates: [FetchRequestTemplate("x", entity: "Comit")]
        )
      } == .invalidModel
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.13 compound, descending and partial indexes do not change what is fetched`(
    _ kind: StoreKind
  ) throws {
    var entity = EntityDescription(
      "A",
      properties: [.attribute("x", .int64), .attribute("y", .string)]
    )
    entity.indexes = [
      FetchIndexDescription("xy", elements: [.init("x", isAscending: false), .init("y")]),
      FetchIndexDescription(
        "some",
        elements: [.init("y")],
        partialIndexPredicate: "x > 3 AND y != 'it\\'s'"
      ),
      FetchIndexDescription(
        "folded",
        elements: [.init("y")],
        partialIndexPredicate: "y CONTAINS[c] 'é'"
      ),
    ]
    let bench = try Bench(kind, model: try ManagedObjectModel(entity), classes: [])
    let context = bench.context()
    for number in 0..<10 {
      let object = try context.insert(entityNamed: "A")
      try object.setValue(number, forKey: "x")
      try object.setValue(number == 2 ? "É" : "y\(number)", forKey: "y")
    }
    try context.save()
    func found(_ predicate: FetchPredicate) throws -> [Int64?] {
      var request = FetchRequest<ManagedObject>(entityName: "A")
        .sorted(by: FetchSort("x", ascending: false))
      request.predicate = predicate
      let reader = bench.context()
      return try reader.fetch(request).map { try $0.value(forKey: "x") as? Int64 }
    }
    #expect(try found("x > 3 AND y != 'it\\'s' AND y >= 'y7'") == [9, 8, 7])
    #expect(try found("x <= 4 AND y >= 'y1' AND y < 'z'") == [4, 3, 1])
    #expect(try found("y CONTAINS[c] 'é'") == [2])
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.14 compound and inherited constraints hold in every store`(_ kind: StoreKind) throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Root",
        uniqueness: [["repo", "sha"]],
        properties: [.attribute("repo", .string), .attribute("sha", .string)]
      ),
      EntityDescription("Leaf", parent: "Root", properties: [])
    )
    let bench = try Bench(kind, model: model, classes: [])
    func insert(_ entity: String, _ repo: String, _ sha: String) throws {
      let context = bench.context()
      let object = try context.insert(entityNamed: entity)
      try object.setValue(repo, forKey: "repo")
      try object.setValue(sha, forKey: "sha")
      try context.save()
    }
    try insert("Root", "r", "1")
    try insert("Root", "r", "2")
    try insert("Leaf", "s", "1")
    #expect(code { try insert("Root", "r", "1") } == .managedObjectConstraintMerge)
    #expect(code { try insert("Leaf", "r", "1") } == .managedObjectConstraintMerge)
  }
}
