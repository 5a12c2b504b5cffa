// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Perennial
import PerennialPostgres
import Testing

/// Statements that users write.
@Suite("SQL on PostgreSQL", .needsServer)
struct StoreSQLTests {
  private let context: ManagedObjectContext

  init() throws {
    let container = try PersistentContainer(
      name: "Tallies",
      entities: Tally.self,
      TallyShelf.self,
      TallyLabel.self,
      store: .postgres(try TestServer.emptySchema())
    )
    context = container.newBackgroundContext()
    for name in ["a", "bb", "ccc"] { Tally(context: context).name = name }
    try context.save()
  }

  private func names(_ sql: RawSQL) throws -> [String] {
    try context.fetch(Tally.self, sql: sql).map(\.name)
  }

  @Test func `1G.14 a statement gives objects in its order, with its values bound`() throws {
    #expect(
      try names(
        "SELECT z_pk FROM \(table: Tally.self) WHERE length(\(column: \Tally.name)) > \(1) ORDER BY zname DESC -- longest"
      )
        == ["ccc", "bb"]
    )
    #expect(try names("SELECT * FROM ztally WHERE zname = \("' OR TRUE --")") == [])
  }

  @Test(
    arguments: [
      "DELETE FROM ztally RETURNING z_pk", "SELECT z_pk FROM ztally; DELETE FROM ztally",
      "WITH d AS (DELETE FROM ztally RETURNING z_pk) SELECT z_pk FROM d",
      "SELECT z_pk FROM znothing", "SELECT zname FROM ztally", "SELECT z_pk FROM ztally) --",
      "SELECT z_pk FROM ztally FOR UPDATE",
    ] as [RawSQL]
  )
  func `1G.14 what writes, says two things or is no query is an error`(_ sql: RawSQL) throws {
    let error = #expect(throws: PerennialError.self) { _ = try names(sql) }
    #expect([.postgreSQL, .persistentStoreSave].contains(error?.code))
    #expect(try names("SELECT z_pk FROM ztally").count == 3)
  }
}
#endif
