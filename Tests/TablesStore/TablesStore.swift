// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import Perennial
import PerennialSQL
import Synchronization

/// SQLite as a database that Perennial does not know.
struct SmallSQL: SQLEngine {
  func typeName(of type: SQLColumnType) -> String {
    switch type {
    case .integer: "INTEGER"
    case .double: "REAL"
    case .text: "TEXT"
    case .bytes: "BLOB"
    }
  }

  var takesNUL: Bool { true }
  func isSame(_ left: String, _ right: String) -> String { "\(left) IS \(right)" }
  func contains(_ text: String, _ part: String) -> String? { "instr(\(text), \(part)) > 0" }
}

/// A store in a database: what the article WritingAStore says of `PerennialSQL`.
///
/// The statements are those of `SQLTables`; there is only the connection here.
public final class TablesStore: PersistentStore {
  private struct State {
    let database: Database
    var tables: SQLTables?

    /// The tables, which `open` has made.
    func opened() throws -> SQLTables {
      guard let tables else {
        throw StoreProblem(
          .unreadable,
          "The store is not open.",
          recovery: "restore it from a copy"
        )
      }
      return tables
    }

    func members(_ relationship: StoreRelationship, _ owners: [Int64]) throws -> [Int64: [Int64]] {
      var lists: [Int64: [Int64]] = [:]
      for statement in try opened().members(of: relationship, owners: owners) {
        for row in try database.run(statement) {
          if case .integer(let owner) = row[0], case .integer(let member) = row[1] {
            lists[owner, default: []].append(member)
          }
        }
      }
      return lists
    }
  }

  /// What the statements can do.
  public let capabilities: StoreCapabilities = [.durable, .filter, .sort, .limit, .members]
  private let state: Mutex<State>
  private let answered = Mutex(0)

  /// A store in a file.
  public init(_ file: URL) throws {
    state = Mutex(State(database: try Database(file.path)))
  }

  /// How many requests with a condition or an order SQL has answered.
  public var answeredCount: Int { answered.withLock { $0 } }

  /// Reads the metadata, if the database has some.
  public func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? {
    try state.withLock { state in
      var tables = SQLTables(model, engine: SmallSQL())
      defer { state.tables = tables }
      let names = try state.database.run(
        SQLStatement("SELECT name FROM sqlite_master WHERE name = 'perennial_metadata'")
      )
      guard !names.isEmpty else { return nil }
      guard let row = try state.database.run(tables.metadataQuery).first else { return nil }
      let metadata = try tables.metadata(row[0])
      tables.storeID = metadata.storeID
      return metadata
    }
  }

  /// Keeps the metadata, and makes the tables of a new store.
  public func write(_ metadata: PersistentStoreMetadata) throws {
    try state.withLock { state in
      let tables = try state.opened()
      let isNew = tables.storeID == nil
      try state.database.transaction {
        for statement in isNew ? tables.definitions + tables.indexes : [] {
          try state.database.run(statement)
        }
        for statement in try tables.write(metadata) { try state.database.run(statement) }
      }
      state.tables?.storeID = metadata.storeID
    }
  }

  /// Asks SQL.
  public func fetch(_ request: StoreRequest) throws -> [StoreRow] {
    try state.withLock { state in
      let tables = try state.opened()
      let statement = try tables.fetch(request)
      if request.predicate != nil || !request.sorts.isEmpty { answered.withLock { $0 += 1 } }
      return try state.database.run(statement).map { try tables.row($0, of: request.table) }
    }
  }

  /// Asks SQL for the number alone.
  public func count(_ request: StoreRequest) throws -> Int {
    try state.withLock { state in
      let rows = try state.database.run(state.opened().count(request))
      guard case .integer(let count)? = rows.first?.first else { return 0 }
      return Int(count)
    }
  }

  /// The rows of some keys.
  public func rows(of table: String, keys: [Int64]) throws -> [StoreRow] {
    try state.withLock { state in
      let tables = try state.opened()
      return try tables.rows(of: table, keys: keys).flatMap { statement in
        try state.database.run(statement).map { try tables.row($0, of: table) }
      }
    }
  }

  /// The lists of some owners.
  public func members(
    of relationship: StoreRelationship,
    owners: [Int64]
  ) throws -> [Int64: [Int64]] {
    try state.withLock { try $0.members(relationship, owners) }
  }

  /// Moves the counter of a table.
  public func reserveKeys(_ count: Int, of table: String) throws -> Int64 {
    try state.withLock { state in
      let (change, last) = try state.opened().reservation(of: count, keysOf: table)
      return try state.database.transaction {
        try state.database.run(change)
        guard case .integer(let last)? = try state.database.run(last).first?.first else {
          throw StoreProblem(
            .unwritable,
            "There is no counter for '\(table)'.",
            recovery: "restore it from a copy"
          )
        }
        return last - Int64(count) + 1
      }
    }
  }

  /// Writes all or nothing.
  public func save(_ changes: StoreChanges) throws -> [StoreConflict] {
    try state.withLock { state in
      let tables = try state.opened()
      try state.database.transaction {
        let statements = try tables.save(changes) { relationship, owner in
          try state.members(relationship, [owner])[owner] ?? []
        }
        for statement in statements { try state.database.run(statement) }
      }
    }
    return []
  }
}
