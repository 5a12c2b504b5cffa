// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// Notes with unique keys, their owners with unique emails, and what stands in a batch's way: pages,
/// which are cascaded, and stamps, which deny.
struct BatchScene {
  let bench: Bench
  let context: ManagedObjectContext

  init(_ kind: StoreKind) throws {
    bench = try Bench(
      kind,
      model: ManagedObjectModel(
        EntityDescription(
          "Note",
          uniqueness: [["key"]],
          properties: [
            .attribute("key", .int64, optional: true), .attribute("text", .string, default: "none"),
            .attribute(
              "stars",
              .int64,
              optional: true,
              validation: ValidationRules(minimum: .integer(0))
            ),
            .toOne("owner", "Owner"),
          ]
        ),
        EntityDescription(
          "Owner",
          uniqueness: [["email"]],
          properties: [
            .attribute("email", .string), .toMany("notes", "Note", deleteRule: .nullify),
            .toMany("pages", "Page", deleteRule: .cascade),
            .toMany("stamps", "Stamp", deleteRule: .deny),
          ]
        ),
        EntityDescription("Page", properties: [.toOne("owner", "Owner")]),
        EntityDescription("Stamp", properties: [.toOne("owner", "Owner")])
      ),
      classes: []
    )
    context = bench.context()
  }

  /// Inserts notes of these keys, each with its key as stars.
  func insertNotes(_ keys: Range<Int64>, owner: String? = nil) throws {
    if let owner {
      try context.execute(BatchInsertRequest(entityName: "Owner", objects: [["email": owner]]))
    }
    let objects = keys.map { key in
      let values: [String: (any Sendable)?] = ["key": key, "stars": key]
      return owner.map { values.merging(["owner": $0]) { $1 } } ?? values
    }
    try context.execute(BatchInsertRequest(entityName: "Note", objects: objects))
  }

  /// Key, text and stars of all notes, as a fresh context reads them.
  func stored() throws -> [String] {
    let context = bench.context()
    return try context.fetch(Self.notes).map(Self.describe)
  }

  static var notes: FetchRequest<ManagedObject> {
    FetchRequest(entityName: "Note").sorted(by: FetchSort("key"))
  }

  /// Key, text, stars and the owner's email.
  static func describe(_ note: ManagedObject) throws -> String {
    let values = try ["key", "text", "stars"].map { try note.value(forKey: $0) }
    let owner = try note.object(forKey: "owner")?.value(forKey: "email")
    return (values + [owner].compactMap(\.self)).map { $0.map { "\($0)" } ?? "nil" }
      .joined(separator: " ")
  }

  /// A request that gives notes new values.
  static func update(
    _ values: [String: (any Sendable)?],
    where predicate: FetchPredicate? = nil
  ) -> BatchUpdateRequest {
    var request = BatchUpdateRequest(entityName: "Note", where: predicate)
    request.propertiesToUpdate = values
    return request
  }
}
