// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Perennial
import PerennialModel
import PerennialPostgres
import RandomTesting
import Testing

/// What the tests of faults save: a counter, where it lies and what it is called.
@Managed final class Tally: ManagedObject {
  @Unique var name: String
  var count: Int = 0
  var memo: String?
  var shelf: TallyShelf?
  var labels: ToMany<TallyLabel>
}

@Managed final class TallyShelf: ManagedObject {
  var room: String
  var tallies: OrderedToMany<Tally>
}

@Managed final class TallyLabel: ManagedObject {
  var text: String
  var tallies: ToMany<Tally>
}

/// A schema of a test's own in a database, and the URL of a store there.
struct StorePlace: Sendable {
  let schema: String
  private let server: PostgresLocation

  /// A schema in the database of all tests, or in that of a server of one's own.
  init(on server: OwnServer? = nil) throws {
    self.server = try server?.location ?? TestServer.location()
    schema = TestServer.uniqueName("s")
    try execute("CREATE SCHEMA \(schema)")
  }

  /// The URL of the schema; of what is not given, the tests' own.
  func url(
    _ account: String = "perennial:perennial",
    host: String? = nil,
    port: Int? = nil,
    database: String = "perennial",
    settings: [String] = [],
    parameters: String = ""
  ) throws -> URL {
    let place = try #require(server.hosts.first)
    let options = (["search_path=\(schema)"] + settings).map { "-c\($0)" }.joined(separator: " ")
    let escaped = try #require(
      options.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
    )
    let address = "\(host ?? place.name):\(port ?? place.port ?? 0)"
    return try #require(
      URL(string: "postgres://\(account)@\(address)/\(database)?options=\(escaped)\(parameters)")
    )
  }

  /// A container of a store in the schema.
  func container(
    _ url: URL? = nil,
    change: (inout StoreDescription) -> Void = { _ in }
  ) throws -> PersistentContainer {
    var store = StoreDescription.postgres(try url ?? self.url())
    change(&store)
    return try PersistentContainer(
      name: "Tallies",
      entities: Tally.self,
      TallyShelf.self,
      TallyLabel.self,
      store: store
    )
  }

  /// A container with one counter in its store.
  func containerWithTally(_ url: URL? = nil) throws -> PersistentContainer {
    let container = try container(url)
    let context = container.newBackgroundContext()
    Tally(context: context).name = "one"
    try context.save()
    return container
  }

  /// A connection that begins with the schema.
  func connect(asAdministrator: Bool = false) throws -> PostgresConnection {
    var location = server
    if asAdministrator {
      location.user = "admin"
      location.password = PostgresPassword("perennial-admin")
    }
    location.parameters["options"] = "-csearch_path=\(schema)"
    return try PostgresConnection.open(location)
  }

  /// Runs statements in the schema.
  func execute(_ sql: String) throws { try connect().execute(sql) }

  /// One number that the server knows.
  func number(_ sql: String) throws -> Int64 { try connect().run(sql).integer(0, 0) }

  /// Everything that is in the schema: relations, indexes and rows, but nothing that changes by itself.
  func contents() throws -> [String] {
    let connection = try connect(asAdministrator: true)
    let relations = try connection.run(
      "SELECT relname::text, relkind::text FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace ORDER BY 1"
    )
    var lines: [String] = []
    for relation in 0..<relations.count {
      let (name, kind) = (relations.text(relation, 0), relations.text(relation, 1))
      lines.append("\(kind) \(name)")
      guard kind == "r" else { continue }
      let rows = try connection.run("SELECT t::text FROM \(schema).\(name) AS t ORDER BY 1")
      lines += (0..<rows.count).map { rows.text($0, 0) }
    }
    return lines
  }
}

extension PersistentContainer {
  /// The number of a counter, as a new context reads it.
  func count(of name: String = "one") throws -> Int? {
    try newBackgroundContext().first(Tally.filter("name == \(name)"))?.count
  }
}

/// The error that a closure throws.
func storeError(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) throws -> PerennialError {
  try #require(
    #expect(throws: PerennialError.self, sourceLocation: sourceLocation) { try body() },
    sourceLocation: sourceLocation
  )
}
#endif
