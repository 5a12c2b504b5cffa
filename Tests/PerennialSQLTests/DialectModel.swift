// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPostgres
import PerennialPredicate
import PerennialSQL

@testable import PerennialSQLite

/// One model in the names of two engines.
struct DialectModel {
  let model: ModelLayout
  let sqlite: StoreSchema
  let postgres: StoreSchema

  init() throws {
    model = try ManagedObjectModel(
      EntityDescription(
        "Author",
        properties: [
          .attribute("name", .string, optional: true), .attribute("age", .int64, optional: true),
          .attribute("born", .date, optional: true), .attribute("score", .double, optional: true),
          .attribute("rate", .decimal, optional: true), .attribute("flag", .bool, optional: true),
          .attribute("uid", .uuid, optional: true),
          .attribute("photo", .binaryData, optional: true),
          .toOne("boss", "Author", inverse: "reports"),
          .toMany("reports", "Author", inverse: "boss"),
          .toMany("posts", "Post", inverse: "author"),
        ]
      ),
      EntityDescription(
        "Post",
        properties: [
          .attribute("title", .string, optional: true), .attribute("bytes", .int64, optional: true),
          .toOne("author", "Author", inverse: "posts"),
          .toMany("tags", "Tag", inverse: "posts"),
        ]
      ),
      EntityDescription(
        "Tag",
        properties: [
          .attribute("name", .string, optional: true), .toMany("posts", "Post", inverse: "tags"),
        ]
      )
    ).layout
    sqlite = Self.schema(of: model, SQLiteDialect())
    postgres = Self.schema(of: model, PostgresDialect())
  }

  static func schema(of model: ModelLayout, _ dialect: any SQLDialect) -> StoreSchema {
    var builder = SchemaBuilder(model: model, numbers: nil, dialect: dialect)
    return builder.build()
  }

  /// The place of an entity.
  func entity(_ name: String) -> Int { model.entitiesByName[name] ?? -1 }

  /// What an engine says of a predicate on authors.
  func condition(_ format: String, _ schema: StoreSchema) throws -> ConditionSQL {
    let node = try FetchPredicate(parsing: format).checked()
    var translator = PredicateTranslator(schema: schema, store: UUID())
    return translator.translate(node, entity: entity("Author"))
  }
}
