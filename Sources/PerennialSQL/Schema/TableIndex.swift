// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// An index of a store's table, whichever way an engine writes it.
package struct TableIndex: Sendable, Hashable {
  /// What an index is for.
  package enum Kind: Sendable, Hashable {
    /// The objects of relationships and of entities: in columns of integers, which come in any order.
    case relationship
    /// What the model calls an index.
    case fetch
    /// A uniqueness constraint: no two rows have the same values in all columns, none of them null.
    case uniqueness
  }

  /// A column with its direction.
  package struct Column: Sendable, Hashable {
    package let name: String
    package let isAscending: Bool

    package init(_ name: String, isAscending: Bool = true) {
      self.name = name
      self.isAscending = isAscending
    }
  }

  package let kind: Kind
  /// The name: any text, to be put in quotes where SQL cannot read it as it is.
  package private(set) var name: String
  package let table: String
  /// The columns, at least one.
  package let columns: [Column]
  /// The condition on the rows that it covers; `nil` when it covers all.
  package let condition: String?

  /// An index.
  ///
  /// - Parameters:
  ///   - kind: What it is for.
  ///   - name: Its name as the engine has it.
  ///   - table: The table.
  ///   - columns: The columns.
  ///   - condition: The condition on the rows that it covers.
  package init(
    _ kind: Kind,
    _ name: String,
    on table: String,
    _ columns: [Column],
    condition: String? = nil
  ) {
    self.kind = kind
    self.name = name
    self.table = table
    self.columns = columns
    self.condition = condition
  }

  /// The index with a number behind its name when something has that name already, in letters of either case: to
  /// SQLite they are the same.
  ///
  /// - Parameters:
  ///   - taken: The names of the store's tables and indexes in capitals, to which the index's is added.
  ///   - names: Give the name its number.
  ///   - dialect: Shortens it.
  /// - Returns: The index under its name.
  package func named(
    apartFrom taken: inout Set<String>,
    _ names: any SchemaNames,
    _ dialect: any SchemaDialect
  ) -> TableIndex {
    var index = self
    var suffix = 0
    while !taken.insert(index.name.uppercased()).inserted {
      suffix += 1
      index.name = dialect.name(names.numbered(name, suffix))
    }
    return index
  }
}
