// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialPostgres
import Testing

/// A migration makes the tables of objects anew: they stay their owner's, and others may do with them what they might.
@Suite("Rights to tables after a migration", .needsServer)
struct MigrationRightsTests {
  private let place: StorePlace

  init() throws { place = try StorePlace() }

  private func open(
    _ model: ManagedObjectModel,
    _ account: String = "perennial:perennial"
  ) throws -> PersistentContainer {
    try PersistentContainer(name: "Library", model: model, store: .postgres(place.url(account)))
  }

  /// Saves an object of an entity that has a name.
  private func insert(_ entity: String, into container: PersistentContainer) throws {
    let context = container.newBackgroundContext()
    try context.insert(entityNamed: entity).setValue("first", forKey: "name")
    try context.save()
  }

  /// What others than the owner may do with the tables of objects: table, role, privilege, whether to grant it.
  private func grants() throws -> Set<String> {
    let rows = try place.connect().run(
      """
      SELECT concat_ws(' ', table_name, grantee, privilege_type, is_grantable)
      FROM information_schema.table_privileges
      WHERE table_schema::text = current_schema()::text AND grantee::text <> 'perennial'
      AND table_name::text IN ('zalbum', 'zbook', 'zshelf', 'ztag', 'z_1tags', 'z_2tags')
      """
    )
    return Set((0..<rows.count).map { rows.text($0, 0) })
  }

  @Test func `who was granted something may do it afterwards, also with tables that are new`()
    throws
  {
    do { try insert("Shelf", into: open(StoreMigrationTests.model(1))) }
    // A name that needs its quotes.
    let role = TestServer.uniqueName("The \"auditor")
    let quoted = "\"" + role.replacing("\"", with: "\"\"") + "\""
    try place.connect(asAdministrator: true).execute("CREATE ROLE \(quoted)")
    try place.execute(
      """
      GRANT SELECT ON ALL TABLES IN SCHEMA \(place.schema) TO \(quoted);
      GRANT SELECT, UPDATE ON zbook TO visitor WITH GRANT OPTION;
      GRANT INSERT ON zshelf TO PUBLIC
      """
    )
    let before = try grants()
    #expect(before.count == 5)
    try insert("Tag", into: open(StoreMigrationTests.model(2)))
    #expect(try grants() == before.union(["ztag \(role) SELECT NO", "z_1tags \(role) SELECT NO"]))
  }

  @Test func `row security stays on, and shows others nothing without its policies`() throws {
    do { try insert("Shelf", into: open(StoreMigrationTests.model(1))) }
    try place.execute(
      """
      GRANT SELECT ON zshelf TO PUBLIC;
      ALTER TABLE zshelf ENABLE ROW LEVEL SECURITY;
      CREATE POLICY everything ON zshelf USING (true)
      """
    )
    try insert("Tag", into: open(StoreMigrationTests.model(2)))
    let secured = try place.connect().run(
      """
      SELECT count(*) FROM pg_class WHERE relrowsecurity AND relname::text IN ('zshelf', 'zbook')
      AND relnamespace::regnamespace::text = current_schema()::text
      """
    )
    #expect(secured.integer(0, 0) == 1)
    #expect(try place.number("SELECT COUNT(*) FROM zshelf") == 1)
  }

  /// With another entity before it, the table of a link has another number in its name.
  @Test func `what was granted on a table is granted on that of the same relationship`() throws {
    func model(_ owners: [String]) throws -> ManagedObjectModel {
      let links = owners.map { owner in
        PropertyDescription.toMany("\(owner.lowercased())s", owner, inverse: "tags")
      }
      let others = owners.map { owner in
        EntityDescription(
          owner,
          properties: [.toMany("tags", "Tag", inverse: "\(owner.lowercased())s")]
        )
      }
      let tag = EntityDescription("Tag", properties: [.attribute("name", .string)] + links)
      return try ManagedObjectModel(entities: others + [tag])
    }
    do { try insert("Tag", into: open(model(["Book"]))) }
    try place.execute("GRANT SELECT ON z_1tags TO visitor")
    try insert("Tag", into: open(model(["Album", "Book"])))
    #expect(try grants() == ["z_2tags visitor SELECT NO"])
  }

  @Test func `the tables stay their owner's when a superuser migrates them`() throws {
    do { try insert("Shelf", into: open(StoreMigrationTests.model(1))) }
    do { _ = try open(StoreMigrationTests.model(2), "admin:perennial-admin") }
    let owners = try place.connect().run(
      """
      SELECT DISTINCT pg_get_userbyid(relowner)::text FROM pg_class
      WHERE relnamespace = '\(place.schema)'::regnamespace AND relkind IN ('r', 'i')
      """
    )
    #expect((0..<owners.count).map { owners.text($0, 0) } == ["perennial"])
    try insert("Tag", into: open(StoreMigrationTests.model(2)))
  }

  @Test func `a view on a table forbids the migration, and the error says what to do`() throws {
    do { try insert("Shelf", into: open(StoreMigrationTests.model(1))) }
    try place.execute("CREATE VIEW shelves AS SELECT zname FROM zshelf")
    let error = try storeError { _ = try open(StoreMigrationTests.model(2)) }
    #expect(error.code == .persistentStoreOpen)
    #expect(error.recovery.contains("views"), "\(error)")
    #expect(try place.number("SELECT count(*) FROM shelves") == 1)
    try place.execute("DROP VIEW shelves")
    try insert("Tag", into: open(StoreMigrationTests.model(2)))
  }
}
#endif
