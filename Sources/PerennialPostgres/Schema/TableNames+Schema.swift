// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialSQL
import PerennialStore

typealias TableNames = StoreDescription.TableNames

extension StoreDescription.TableNames {
  /// How the names are made.
  var schemaNames: any SchemaNames {
    switch self {
    case .coreData: CoreDataNames()
    case .plain: PlainNames()
    }
  }

  /// The tables by which stores are recognised, as the server's catalogue has them.
  static let metadataTables = allCases.map { $0.schemaNames.metadata.table.inCatalogue }

  /// The names of the store of some tables, if one of them is a store's.
  ///
  /// A store with plain names may have a table of an entity `ZMetadata`; one with Core Data's begins all with `z`.
  init?(metadataTables tables: [String]) {
    let found = [Self.plain, .coreData].first {
      tables.contains($0.schemaNames.metadata.table.inCatalogue)
    }
    guard let found else { return nil }
    self = found
  }

  /// The names of the store in the schema where connections begin, if there is one.
  static func found(on connection: PostgresConnection) throws(PostgresFailure) -> TableNames? {
    let result = try connection.run(
      """
      SELECT c.relname::text FROM pg_catalog.pg_class AS c
      JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = current_schema()
      WHERE c.relname::text = ANY ($1)
      """,
      [.array(metadataTables.map { .text($0) }, of: .text)],
      .reading
    )
    return TableNames(metadataTables: (0..<result.count).map { result.text($0, 0) })
  }
}

extension String {
  /// A name in a statement, as the server's catalogue has it: without quotes it is in small letters.
  var inCatalogue: String { hasPrefix("\"") ? unquotedFromSQL : lowercased() }
}
#endif
