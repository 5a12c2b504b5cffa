// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// Dictionaries of what refers to deleted objects.
///
/// A relationship without an inverse keeps their IDs, which name their own entities.
@Suite("IDs of deleted objects in dictionaries")
struct DeletedReferenceTests {
  private let memory: InMemoryStore
  private let sqlite: SQLiteStore

  /// Five notes and a letter, with stamp 1 and mark 3 deleted.
  init() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Note",
        properties: [Self.reference("mark", to: "Mark"), Self.reference("next", to: "Note")]
      ),
      EntityDescription(
        "Letter",
        parent: "Note",
        properties: [Self.reference("seal", to: "Mark")]
      ),
      EntityDescription("Mark", properties: [.attribute("name", .string, optional: true)]),
      EntityDescription("Stamp", parent: "Mark", properties: [])
    ).layout
    memory = InMemoryStore(model: model)
    sqlite = try SQLiteStore(url: nil, model: model)
    let changes = model.insertion([
      ("Mark", [Row(3), Row(4)]), ("Stamp", [Row(1), Row(2)]),
      (
        "Note",
        [
          Row(1, ["mark": .reference("Stamp", 1)]), Row(2, ["mark": .reference("Stamp", 2)]),
          Row(3, ["mark": .reference("Mark", 3)]), Row(4, ["mark": .reference("Mark", 4)]),
          Row(5, ["next": .reference("Note", 1)]),
        ]
      ),
      (
        "Letter",
        [
          Row(
            6,
            [
              "mark": .reference("Stamp", 1), "next": .reference("Note", 3),
              "seal": .reference("Stamp", 1),
            ]
          )
        ]
      ),
    ])
    var deletions = ChangeSet()
    deletions.deletions = [model.deletion("Stamp", [(1, 1)]), model.deletion("Mark", [(3, 1)])]
    for step in [changes, deletions] {
      try memory.save(step)
      try sqlite.save(step)
    }
  }

  private static func reference(_ name: String, to entity: String) -> PropertyDescription {
    var relationship = RelationshipDescription(name, to: entity)
    relationship.infersInverse = false
    return .relationship(relationship)
  }

  private static var count: PropertyToFetch {
    get throws { .expression(try ExpressionDescription("n", parsing: "count(SELF)")) }
  }

  /// Compares what both stores give for notes with what they should, in the order of the texts.
  private func check(_ request: ProjectionRequest, _ expected: [String]) throws {
    let model = sqlite.model
    let notes = StoreQuery(entity: model.index("Note"))
    let query = try ProjectionPlanner.plan(request, of: notes, in: model)
    #expect(try ProjectionSQLTests.rows(memory, query) == expected, "in memory")
    #expect(try ProjectionSQLTests.rows(sqlite, query) == expected, "in SQLite")
    #expect(throws: Never.self) { try sqlite.checkForSQL(query) }
  }

  private static let marks = ["Mark 3", "Mark 4", "Stamp 1", "Stamp 1", "Stamp 2", "null"]

  @Test func `are those of their entities`() throws {
    var request = ProjectionRequest()
    request.properties = [.property("mark")]
    try check(request, Self.marks)
  }

  @Test func `are those of their entities among distinct ones`() throws {
    var request = ProjectionRequest()
    request.properties = [.property("mark")]
    request.isDistinct = true
    try check(request, ["Mark 3", "Mark 4", "Stamp 1", "Stamp 2", "null"])
  }

  @Test func `are those of their entities where results are grouped by them`() throws {
    var request = ProjectionRequest()
    request.properties = [.property("mark"), try Self.count]
    request.groups = ["mark"]
    func line(_ mark: String, _ count: Int64) -> String {
      "\(mark), \(PropertyValue.integer(count))"
    }
    try check(
      request,
      [
        line("Mark 3", 1), line("Mark 4", 1), line("Stamp 1", 2), line("Stamp 2", 1),
        line("null", 1),
      ]
    )
    request.having = try FetchPredicate(parsing: "count(SELF) > 1")
    try check(request, [line("Stamp 1", 2)])
    request.isDistinct = true
    try check(request, [line("Stamp 1", 2)])
  }

  @Test func `are those of their entities beside a least value of each group`() throws {
    var request = ProjectionRequest()
    request.properties = [
      .property("mark"), .expression(try ExpressionDescription("least", parsing: "min(mark.name)")),
    ]
    request.groups = ["mark"]
    try check(
      request,
      ["Mark 3, null", "Mark 4, null", "Stamp 1, null", "Stamp 2, null", "null, null"]
    )
  }

  @Test(arguments: [
    ("mark.objectID", marks), ("mark.self", marks),
    ("next.mark", ["Mark 3", "Stamp 1", "null", "null", "null", "null"]),
    ("next.mark.objectID", ["Mark 3", "Stamp 1", "null", "null", "null", "null"]),
    ("seal", ["Stamp 1", "null", "null", "null", "null", "null"]),
  ])
  func `are those of their entities along key paths and of subentities' relationships`(
    _ path: String,
    _ expected: [String]
  ) throws {
    var request = ProjectionRequest()
    request.properties = [.property(path)]
    try check(request, expected)
  }

  @Test func `are those of their entities without an index`() throws {
    var request = ProjectionRequest()
    request.properties = [
      .expression(try ExpressionDescription("value", parsing: "noindex:(mark)"))
    ]
    try check(request, Self.marks)
  }
}
