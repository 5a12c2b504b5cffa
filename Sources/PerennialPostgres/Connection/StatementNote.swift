// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialStore

/// What a connection notes of a statement that has run, while somebody wants to know.
struct StatementNote: Sendable {
  let statement: PostgresStatement
  let parameters: PostgresFields
  let seconds: Double
  let rowCount: Int

  /// The lines of a log.
  func events(_ level: LogLevel) -> [LogEvent] {
    var events = [LogEvent(.sql, level >= .values ? statement.sql + values : statement.sql)]
    if level >= .times { events.append(.time(seconds, rows: rowCount)) }
    return events
  }

  /// The values of the parameters behind the statement.
  private var values: String {
    let values = parameters.values(of: statement.types)
    if values.isEmpty { return "" }
    let list = values.enumerated().map { "$\($0 + 1) = \($1.shortText)" }
    return " (" + list.joined(separator: ", ") + ")"
  }
}

extension PostgresValue {
  /// The value for a log: bytes and long lists by their number only.
  fileprivate var shortText: String {
    switch self {
    case .null: "NULL"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .text(let value): "'\(value)'"
    case .bytes(let value): "\(value.count) bytes"
    case .timestamp(let microseconds): "\(microseconds) µs since 2000"
    case .numeric(let value): value.description
    case .uuid(let value): "\(value)"
    case .array(let values, _) where values.count > Self.shownCount: "\(values.count) values"
    case .array(let values, _): "{" + values.map(\.shortText).joined(separator: ", ") + "}"
    }
  }

  private static let shownCount = 20
}
#endif
