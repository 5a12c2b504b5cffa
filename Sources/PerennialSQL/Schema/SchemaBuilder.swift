// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Gives every table and column its name (FORMAT 2.4 and 2.5).
package struct SchemaBuilder {
  private let model: ModelLayout
  private let numbers: [Int64]
  private let dialect: any SQLDialect
  private var usedTables: Set<String>

  /// A builder.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - numbers: The entities' numbers in the store; `nil` for a new store.
  ///   - dialect: How the engine writes names and types.
  package init(model: ModelLayout, numbers: [Int64]?, dialect: any SQLDialect) {
    self.model = model
    self.numbers = numbers ?? model.entities.map { Int64($0.index) + 1 }
    self.dialect = dialect
    usedTables = Set(["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].map(dialect.name))
  }

  /// Makes the schema.
  package mutating func build() -> StoreSchema {
    var definitions: [TableDefinition] = []
    for entity in model.entities where entity.root == entity.index {
      definitions.append(
        TableDefinition(
          root: entity.index,
          name: unusedTable("Z" + entity.name.uppercased()),
          model: model,
          numbers: numbers,
          dialect: dialect
        )
      )
    }
    let columns = joinColumns()
    let joinTables = model.links.map { link in
      makeJoinTable(link, first: columns[link.index].first, second: columns[link.index].second)
    }
    return StoreSchema(
      model: model,
      numbers: numbers,
      definitions: definitions,
      joinTables: joinTables,
      dialect: dialect
    )
  }

  private mutating func unusedTable(_ name: String) -> String {
    var candidate = dialect.name(name)
    var suffix = 0
    while !usedTables.insert(candidate).inserted {
      suffix += 1
      candidate = dialect.name(name + String(suffix))
    }
    return candidate
  }

  /// The name of a relationship's column, without the prefix that its kind asks for.
  static func tableName(_ link: LinkLayout, numbers: [Int64]) -> String {
    "Z_\(numbers[link.first.entity])\(link.first.name.uppercased())"
  }

  /// The name that the table would have if the inverse named it.
  package static func alternativeTableName(_ link: LinkLayout, numbers: [Int64]) -> String? {
    link.second.name.map { "Z_\(numbers[link.second.entity])\($0.uppercased())" }
  }

  private mutating func makeJoinTable(
    _ link: LinkLayout,
    first: String,
    second: String
  ) -> JoinTable {
    JoinTable(
      table: unusedTable(Self.tableName(link, numbers: numbers)),
      link: link,
      first: first,
      second: second,
      dialect
    )
  }

  /// The columns of every link: of the first object's key and of the second's.
  ///
  /// A column is named after the relationship that leads to its object. Where an entity has two of
  /// one name, the later one, by the name of the relationship back, gets a number. A relationship
  /// without inverse leaves its owner's column without a name: it is called after the relationship
  /// with an underscore (`Z_4_TAGS`); no store of Core Data shows what Core Data does.
  private func joinColumns() -> [(first: String, second: String)] {
    var columns = model.links.map { _ in (first: "", second: "") }
    var used: [Int: Set<String>] = [:]
    func unused(_ name: String, entity: Int) -> String {
      var candidate = name
      var suffix = 0
      while !used[entity, default: []].insert(candidate).inserted {
        suffix += 1
        candidate = name + String(suffix)
      }
      return candidate
    }
    for end in model.links.flatMap(JoinColumn.ends).sorted(by: JoinColumn.precedes) {
      let number = numbers[end.entity]
      let name = end.isReflexive ? "REFLEXIVE" : "Z_\(number)\(end.base)"
      let column = unused(name, entity: end.isReflexive ? -1 - end.link : end.entity)
      if end.isFirst { columns[end.link].first = column } else { columns[end.link].second = column }
    }
    return columns
  }
}

extension JoinTable {
  /// The table of a link with given columns, whose names are Core Data's.
  package init(
    table: String,
    link: LinkLayout,
    first: String,
    second: String,
    _ dialect: any SchemaDialect
  ) {
    func order(_ isOrdered: Bool, _ column: String) -> String? {
      guard isOrdered else { return nil }
      let base = column.hasPrefix("Z_") ? String(column.dropFirst(2)) : column
      return dialect.name("Z_FOK_" + base)
    }
    let orders = (order(link.first.isOrdered, second), order(link.second.isOrdered, first))
    let own = dialect.name(first)
    let other = dialect.name(second)
    self.init(
      table: table,
      first: Side(own: own, other: other, order: orders.0),
      second: Side(own: other, other: own, order: orders.1),
      isSymmetric: link.isSymmetric
    )
  }
}

/// One column of a join table on its way to a name.
private struct JoinColumn {
  let link: Int
  let isFirst: Bool
  /// The entity whose keys the column holds.
  let entity: Int
  /// The relationship that leads to these objects, in capitals.
  let base: String
  /// The relationship of these objects that leads back.
  let back: String?
  let isReflexive: Bool

  /// Both columns of a link.
  static func ends(of link: LinkLayout) -> [JoinColumn] {
    let name = link.first.name.uppercased()
    let first = JoinColumn(
      link: link.index,
      isFirst: true,
      entity: link.first.entity,
      base: link.second.name?.uppercased() ?? "_" + name,
      back: link.first.name,
      isReflexive: false
    )
    let second = JoinColumn(
      link: link.index,
      isFirst: false,
      entity: link.second.entity,
      base: name,
      back: link.second.name,
      isReflexive: link.isSymmetric
    )
    return [first, second]
  }

  /// By entity and the name of the relationship back; those without one last.
  static func precedes(_ left: JoinColumn, _ right: JoinColumn) -> Bool {
    func rank(_ end: JoinColumn) -> (Int, Int, String, Int) {
      (end.entity, end.back == nil ? 1 : 0, end.back ?? "", end.link)
    }
    return rank(left) < rank(right)
  }
}
