// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// The text of a statement and the types of its parameters `$1`, `$2`, …
///
/// Make it once and keep it: connections find what they have prepared by it.
package struct PostgresStatement: Sendable, Hashable {
  /// The text.
  package let sql: String
  /// The types of the parameters.
  package let types: [PostgresType]
  /// Whether connections keep the prepared statement; otherwise it is planned anew each time.
  package let isKept: Bool
  private let hash: Int

  package init(_ sql: String, _ types: [PostgresType] = [], isKept: Bool = true) {
    self.sql = sql
    self.types = types
    self.isKept = isKept
    var hasher = Hasher()
    for byte in sql.utf8 { hasher.combine(byte) }
    hasher.combine(types)
    hash = hasher.finalize()
  }

  package static func == (left: PostgresStatement, right: PostgresStatement) -> Bool {
    left.hash == right.hash && left.types == right.types && left.isKept == right.isKept
      && left.sql.utf8.elementsEqual(right.sql.utf8)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// A statement with its parameters.
package struct PostgresCall: Sendable {
  package var statement: PostgresStatement
  package var parameters: PostgresFields

  package init(_ statement: PostgresStatement, _ parameters: PostgresFields = PostgresFields()) {
    self.statement = statement
    self.parameters = parameters
  }

  /// A text and values, whose types are those of the parameters.
  package init(_ sql: String, _ values: [PostgresValue] = []) {
    self.init(PostgresStatement(sql, values.map(\.type)), PostgresFields(values))
  }
}
#endif
