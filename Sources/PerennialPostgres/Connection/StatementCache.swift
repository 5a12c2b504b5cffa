// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// What a connection has prepared, the least recently used of which makes room for others.
///
/// Invariants: every name stands for at most one statement, and none is used again; there are at most
/// `limit` statements.
struct StatementCache {
  private struct Entry {
    let name: String
    var lastUse: Int
  }

  private var entries: [PostgresStatement: Entry] = [:]
  private var useCount = 0
  private var nameCount = 0
  private let limit: Int

  init(limit: Int) { self.limit = max(1, limit) }

  /// How many statements are prepared.
  var count: Int { entries.count }

  /// The name of a prepared statement.
  mutating func name(of statement: PostgresStatement) -> String? {
    useCount += 1
    let lastUse = useCount
    return { (entry: inout Entry?) in
      entry?.lastUse = lastUse
      return entry?.name
    }(&entries[statement])
  }

  /// A name for a statement that is about to be prepared.
  mutating func add(_ statement: PostgresStatement) -> String {
    useCount += 1
    nameCount += 1
    let name = "perennial_\(nameCount)"
    entries[statement] = Entry(name: name, lastUse: useCount)
    return name
  }

  /// Makes room for one more statement.
  ///
  /// - Parameter calls: Calls whose statements must stay.
  /// - Returns: The name of the one that must be forgotten by the server, too.
  mutating func makeRoom(keeping calls: [PostgresCall]) -> String? {
    guard entries.count >= limit else { return nil }
    let kept = Set(calls.map(\.statement))
    let oldest = entries.filter { !kept.contains($0.key) }.min {
      $0.value.lastUse < $1.value.lastUse
    }
    guard let oldest else { return nil }
    entries[oldest.key] = nil
    return oldest.value.name
  }

  /// Forgets a statement that the server does not have.
  mutating func remove(_ statement: PostgresStatement) { entries[statement] = nil }
}
#endif
