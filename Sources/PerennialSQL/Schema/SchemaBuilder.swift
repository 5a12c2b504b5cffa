// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Gives every table and column its name (FORMAT 2.4 and 2.5, or ``PlainNames``).
package struct SchemaBuilder {
  private let model: ModelLayout
  private let numbers: [Int64]
  private let dialect: any SQLDialect
  private let names: any SchemaNames
  /// The names of tables, and of the indexes that engines make by themselves.
  private var used: Set<String>

  /// A builder.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - numbers: The entities' numbers in the store; `nil` for a new store.
  ///   - dialect: How the engine writes names and types.
  ///   - names: What tables and columns are called.
  package init(
    model: ModelLayout,
    numbers: [Int64]?,
    dialect: any SQLDialect,
    names: any SchemaNames = CoreDataNames()
  ) {
    self.model = model
    self.numbers = numbers ?? model.entities.map { Int64($0.index) + 1 }
    self.dialect = dialect
    self.names = names
    used = Set(names.reservedTables.map(dialect.name))
  }

  /// Makes the schema.
  package mutating func build() -> StoreSchema {
    var definitions: [TableDefinition] = []
    for entity in model.entities where entity.root == entity.index {
      definitions.append(
        TableDefinition(
          root: entity.index,
          name: unusedTable(names.table(of: entity)),
          model: model,
          numbers: numbers,
          dialect: dialect,
          names: names
        )
      )
    }
    let columns = names.joinColumns(model, numbers)
    let joinTables = model.links.map { link in
      JoinTable(
        table: names.keepsLists ? "" : unusedTable(names.table(of: link, model, numbers)),
        link: link,
        first: columns[link.index].first,
        second: columns[link.index].second,
        dialect,
        names
      )
    }
    return StoreSchema(
      model: model,
      numbers: numbers,
      definitions: definitions,
      joinTables: joinTables,
      dialect: dialect,
      names: names
    )
  }

  /// The name of a table of ours, which no other table has.
  mutating func unusedTable(_ name: String) -> String {
    var candidate = dialect.name(name)
    var attempt = 0
    while !used.isDisjoint(with: [candidate] + names.indexNames(ofTable: candidate)) {
      attempt += 1
      candidate = dialect.name(names.numbered(name, attempt))
    }
    used.formUnion([candidate] + names.indexNames(ofTable: candidate))
    return names.written(candidate)
  }
}

extension JoinTable {
  /// The table of a link with columns of given names.
  package init(
    table: String,
    link: LinkLayout,
    first: String,
    second: String,
    _ dialect: any SchemaDialect,
    _ names: any SchemaNames = CoreDataNames()
  ) {
    func written(_ name: String) -> String { names.written(dialect.name(name)) }
    func order(_ isOrdered: Bool, _ column: String) -> String? {
      isOrdered ? written(names.order(column)) : nil
    }
    let orders = (order(link.first.isOrdered, second), order(link.second.isOrdered, first))
    let own = written(first)
    let other = written(second)
    self.init(
      table: table,
      first: Side(own: own, other: other, order: orders.0),
      second: Side(own: other, other: own, order: orders.1),
      isSymmetric: link.isSymmetric
    )
  }
}
