// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// What a store does for a list.
public struct QueryExplanation: Sendable, Hashable {
  /// The statement.
  public var sql: String
  /// The bound values as text, in their order.
  public var bindings: [String]
  /// The steps of the query plan, in SQLite's words.
  public var plan: [String]
  /// What is done in memory on the rows that the statement gives.
  public var inMemory: [String]

  /// Makes an explanation.
  public init(sql: String, bindings: [String], plan: [String], inMemory: [String] = []) {
    self.sql = sql
    self.bindings = bindings
    self.plan = plan
    self.inMemory = inMemory
  }

  /// The lines for people.
  public func lines(style: Style) -> [String] {
    var lines = clauses.flatMap(\.linesEscapedForTerminal)
    if !bindings.isEmpty {
      lines += ["", style("Values", .title)]
      lines += bindings.enumerated().map { "  \($0 + 1)  \($1.escapedForTerminal)" }
    }
    if !plan.isEmpty {
      lines += ["", style("Plan", .title)] + plan.map { "  \($0.escapedForTerminal)" }
    }
    if !inMemory.isEmpty {
      lines += ["", style("In memory", .title)]
      lines += inMemory.map { "  \($0.escapedForTerminal)" }
    }
    return lines
  }

  /// The statement in pieces, each of which begins with a clause outside of parentheses.
  private var clauses: [String] {
    var clauses: [String] = []
    var depth = 0
    for word in sql.split(separator: " ", omittingEmptySubsequences: false) {
      if clauses.isEmpty || (depth == 0 && Self.clauseWords.contains(word)) {
        clauses.append(String(word))
      } else {
        clauses[clauses.count - 1] += " \(word)"
      }
      depth += word.count { $0 == "(" } - word.count { $0 == ")" }
    }
    return clauses
  }

  private static let clauseWords: Set<Substring> = ["FROM", "WHERE", "ORDER", "LIMIT"]

  /// The members sql, bindings, plan and inMemory.
  public var json: JSONValue {
    [
      "sql": .string(sql), "bindings": .array(bindings.map(JSONValue.string)),
      "plan": .array(plan.map(JSONValue.string)),
      "inMemory": .array(inMemory.map(JSONValue.string)),
    ]
  }
}
