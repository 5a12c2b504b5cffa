// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// The text of a statement and the types of its parameters.
///
/// In the text they are `$1`, `$2` and so on. Make it once and keep it: connections find what they have
/// prepared by it, and by a copy of it faster than by an equal one.
package struct PostgresStatement: Sendable, Hashable {
  private final class Contents: Sendable {
    let sql: String
    let types: [PostgresType]
    let isKept: Bool
    let hash: Int

    init(_ sql: String, _ types: [PostgresType], isKept: Bool) {
      self.sql = sql
      self.types = types
      self.isKept = isKept
      var hasher = Hasher()
      // Safe because the bytes are read within the call only.
      sql.utf8.withContiguousStorageIfAvailable {
        hasher.combine(bytes: UnsafeRawBufferPointer($0))
      }
      hasher.combine(types)
      hash = hasher.finalize()
    }
  }

  private let contents: Contents

  /// The text.
  package var sql: String { contents.sql }
  /// The types of the parameters.
  package var types: [PostgresType] { contents.types }
  /// Whether connections keep the prepared statement; otherwise it is planned anew each time.
  package var isKept: Bool { contents.isKept }

  package init(_ sql: String, _ types: [PostgresType] = [], isKept: Bool = true) {
    contents = Contents(sql, types, isKept: isKept)
  }

  package static func == (left: PostgresStatement, right: PostgresStatement) -> Bool {
    if left.contents === right.contents { return true }
    return left.contents.hash == right.contents.hash && left.types == right.types
      && left.isKept == right.isKept && left.sql.utf8.elementsEqual(right.sql.utf8)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(contents.hash) }
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
