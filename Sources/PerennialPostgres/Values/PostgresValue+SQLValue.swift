// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialSQL

extension PostgresValue {
  /// A value that a translator has bound.
  init(_ value: SQLValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let number): .integer(number)
      case .double(let number): .double(number)
      case .text(let text): .text(text)
      case .blob(let data): .bytes(data)
      }
  }
}

extension PostgresCall {
  /// A statement of a translator's, whose parameters are `?`.
  init(_ statement: SelectStatement, _ dialect: some StatementDialect) {
    self.init(dialect.finished(statement.sql), statement.bindings.map { PostgresValue($0) })
  }
}
#endif
