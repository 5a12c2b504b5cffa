// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPostgres
import PerennialPredicate
import Testing

@testable import PerennialSQL

@Suite("Plain names of tables and columns")
struct PlainNamesTests {
  private func schema(_ entities: EntityDescription...) throws -> StoreSchema {
    var builder = SchemaBuilder(
      model: try ManagedObjectModel(entities: entities).layout,
      numbers: nil,
      dialect: PostgresDialect(),
      names: PlainNames()
    )
    return builder.build()
  }

  /// A schema as text: each table with its columns, and each index with its own.
  private func text(_ schema: StoreSchema) -> [String] {
    schema.definitions.map { definition in
      let columns = schema.rowColumns(of: definition.root) + definition.columns.map(\.name)
      return "\(definition.name): \(columns.joined(separator: " "))"
    }
      + schema.joinTables.map { join in
        let columns = [join.first.own, join.first.other, join.first.order, join.second.order]
        return "\(join.table): \(columns.compactMap(\.self).joined(separator: " "))"
      }
  }

  @Test(
    arguments: [
      ("name", "name"), ("createdAt", "created_at"), ("CreatedAt", "created_at"),
      ("baseURLString", "base_url_string"), ("URL", "url"), ("authorID", "author_id"),
      ("sha256", "sha256"), ("sha256Sum", "sha256_sum"), ("already_snake", "already_snake"),
      ("_hidden", "_hidden"), ("Snake_Case", "snake_case"), ("address.zipCode", "address_zip_code"),
      ("größeÜber", "größe_über"), ("x", "x"), ("aB", "a_b"), ("日本", "日本"),
    ]
  )
  func `words are in small letters with underscores between them`(_ name: String, _ plain: String) {
    #expect(name.inSnakeCase == plain)
  }

  /// A quote is another character with a combining mark behind it.
  @Test(
    arguments: [
      ("a", "\"a\""), ("a\"b\"\"", "\"a\"\"b\"\"\"\"\""), ("a\"\u{301}b", "\"a\"\"\u{301}b\""),
      ("\u{301}a", "\"\u{301}a\""),
    ]
  )
  func `a name in quotes is the name again without them`(_ name: String, _ quoted: String) {
    #expect(Array(name.quotedForSQL.utf8) == Array(quoted.utf8))
    #expect(Array(quoted.unquotedFromSQL.utf8) == Array(name.utf8))
  }

  @Test func `a model with a hierarchy, orders and many-to-many relationships`() throws {
    let schema = try schema(
      EntityDescription(
        "Commit",
        uniqueness: [["sha"]],
        indexes: [["createdAt"]],
        properties: [
          .attribute("createdAt", .date), .attribute("sha", .string),
          .toOne("author", "Person", inverse: "commits"),
          .toMany("tags", "Tag", inverse: "commits", ordered: true),
        ]
      ),
      EntityDescription(
        "Person",
        properties: [
          .attribute("name", .string),
          .toMany("commits", "Commit", inverse: "author", ordered: true),
          .toMany("friends", "Person", inverse: "friends"),
        ]
      ),
      EntityDescription(
        "Committer",
        parent: "Person",
        properties: [.attribute("eMail", .string)]
      ),
      EntityDescription(
        "Tag",
        properties: [
          .attribute("name", .string), .toMany("commits", "Commit", inverse: "tags"),
        ]
      )
    )
    #expect(
      text(schema) == [
        #""commit": "id" "version" "author_id" "author_type" "author_position" "created_at" "sha""#,
        #""person": "id" "type" "version" "name" "e_mail""#,
        #""tag": "id" "version" "name""#,
        #""commit_tags": "commit_id" "tag_id" "tag_position""#,
        #""person_friends": "person_id" "friends_id""#,
      ]
    )
    let indexes = TableIndexes(schema).all.map { index in
      "\(index.name) on \(index.table): \(index.columns.map(\.name).joined(separator: " "))"
    }
    #expect(
      indexes == [
        #"commit_author_id_idx on "commit": "author_id""#,
        #"person_type_idx on "person": "type""#,
        #"commit_tags_tag_id_idx on "commit_tags": "tag_id" "commit_id""#,
        #"person_friends_friends_id_idx on "person_friends": "friends_id" "person_id""#,
        #"commit_created_at_idx on "commit": "created_at""#,
        #"commit_sha_key on "commit": "sha""#,
      ]
    )
  }

  @Test func `what is taken gets a number or an underscore`() throws {
    let schema = try schema(
      // 'type' is free where there are no subentities, and taken where there are.
      EntityDescription(
        "Order",
        properties: [
          .attribute("id", .uuid), .attribute("version", .string), .attribute("type", .string),
          .attribute("user", .string), .attribute("select", .string), .attribute("xmin", .string),
          .attribute("c0", .string), .attribute("x", .string), .attribute("fooBar", .string),
          .attribute("foo_bar", .string), .attribute("buyerID", .int64),
          .toOne("buyer", "M", inverse: nil),
        ]
      ),
      EntityDescription("M", properties: [.attribute("type", .string)]),
      EntityDescription("MOfM", parent: "M", properties: []),
      EntityDescription("PerennialLog", properties: []),
      EntityDescription("PgClass", properties: []),
      EntityDescription("FooBar", properties: []),
      EntityDescription("Foo_Bar", properties: []),
      EntityDescription("OrderPkey", properties: [])
    )
    #expect(
      text(schema).sorted() == [
        #""_m": "id" "type" "version" "type_2""#, #""_perennial_log": "id" "version""#,
        #""_pg_class": "id" "version""#, #""foo_bar": "id" "version""#,
        #""foo_bar_2": "id" "version""#,
        #""order": "id" "version" "buyer_id" "buyer_id_2" "buyer_type_2" "_c0" "foo_bar" "foo_bar_2" "select" "type" "user" "version_2" "x" "_xmin" "id_2""#,
        #""order_pkey_2": "id" "version""#,
      ]
    )
  }

  @Test func `names are at most 63 bytes, in letters of any length`() throws {
    let long = String(repeating: "VeryLongName", count: 8)
    let letters = String(repeating: "ü", count: 40)
    let schema = try schema(
      EntityDescription(
        long,
        indexes: [[letters]],
        properties: [
          .attribute(letters, .string), .attribute(letters + "x", .string),
          .toMany("others", long + "2", inverse: "others", ordered: true),
        ]
      ),
      EntityDescription(
        long + "2",
        properties: [.toMany("others", long, inverse: "others", ordered: true)]
      )
    )
    let columns = schema.definitions.map { $0.columns.map(\.name) }
    let joins = schema.joinTables.flatMap { join in
      [join.first.own, join.first.other, join.first.order, join.second.order].compactMap(\.self)
    }
    let tables = schema.definitions.map(\.name) + schema.joinTables.map(\.table)
    let indexes = TableIndexes(schema).all.map(\.name)
    #expect(joins.count == 4 && tables.count == 3 && indexes.count == 2)
    for names in columns + [joins, tables + indexes] {
      #expect(Set(names).count == names.count)
      for name in names { #expect(name.unquotedFromSQL.utf8.count <= 63, "\(name)") }
    }
  }

  @Test func `statements ask for the names of every row`() throws {
    let schema = try schema(
      EntityDescription(
        "Person",
        properties: [
          .attribute("name", .string), .toOne("boss", "Person", inverse: "staff"),
          .toMany("staff", "Person", inverse: "boss"),
        ]
      )
    )
    #expect(schema.entityNumber(of: 0, alias: "t0") == "1")
    #expect(
      WriteSQL.insert(into: 0, version: nil, columns: ["\"name\""], rows: 1, schema)
        == #"INSERT INTO "person" ("id", "version", "name") VALUES (?, ?, ?)"#
    )
    #expect(
      WriteSQL.insert(into: 0, version: 1, columns: ["\"name\""], rows: 2, schema)
        == #"INSERT INTO "person" ("version", "id", "name") VALUES (1, ?, ?), (1, ?, ?)"#
    )
    #expect(
      WriteSQL.update("\"person\"", columns: ["\"name\""], emptied: [], schema.rows)
        == #"UPDATE "person" SET "version" = ?, "name" = ? WHERE "id" = ? AND COALESCE("version", 0) = ?"#
    )
    var translator = PredicateTranslator(schema: schema, store: UUID())
    let node = try FetchPredicate(parsing: "ANY staff.name == 'Ada'").checked()
    #expect(
      translator.translate(node, entity: 0).sql
        == #"EXISTS (SELECT 1 FROM "person" AS t1 WHERE t1."boss_id" = t0."id" AND t1."name" = ?)"#
    )
  }
}
