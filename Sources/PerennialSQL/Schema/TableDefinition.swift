// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// The table of a root entity with all its columns in order (FORMAT 2.4).
package struct TableDefinition: Sendable {
  package struct Column: Sendable, Hashable {
    package let name: String
    /// The declared type.
    package let type: String

    package init(name: String, type: String) {
      self.name = name
      self.type = type
    }
  }

  /// A property, wherever in the inheritance tree it is declared.
  struct Property: Sendable, Hashable {
    let entity: Int
    let name: String
  }

  /// The place of the root entity.
  package let root: Int
  package let name: String
  /// The columns after those of ``RowNames``.
  package let columns: [Column]
  private let slotColumns: [Property: SlotColumn]

  init(
    root: Int,
    name: String,
    model: ModelLayout,
    numbers: [Int64],
    dialect: any SchemaDialect,
    names: any SchemaNames
  ) {
    self.root = root
    self.name = name
    let candidates = Self.properties(of: model.entities[root], in: model)
      .map { Candidate($0, names.columnBase(of: $0), number: numbers[$0.entity]) }
    var entries: [Entry] = []
    let hasSubentities = model.entities[root].family.count > 1
    var used = Set(names.rows.columns(hasSubentities: hasSubentities).map(dialect.name))
    var slotColumns: [Property: SlotColumn] = [:]
    for candidate in candidates.sorted(by: <) {
      let slot = candidate.slot
      let column = Self.makeColumn(candidate, model: model, numbers, dialect, names, used: &used)
      slotColumns[Property(entity: slot.entity, name: slot.name)] = column
      entries += Self.entries(of: column, slot: slot, number: numbers[slot.entity], dialect)
    }
    self.slotColumns = slotColumns
    let integers = entries.filter { $0.group == 0 }
    let orders = entries.filter { $0.group == 1 }.sorted(by: <)
    columns = (integers + orders + entries.filter { $0.group > 1 }).map(\.column)
  }

  /// The columns of a slot; `nil` when it is transient.
  package func columns(of slot: SlotLayout) -> SlotColumn? {
    slotColumns[Property(entity: slot.entity, name: slot.name)]
  }

  /// The definition with the names of columns that a store has for concrete entities' numbers.
  ///
  /// They hold the number of the destination in their names, which may be that of an earlier model.
  ///
  /// - Parameter names: The columns that the store's table has.
  /// - Returns: The definition.
  package func resolved(_ names: [String]) -> TableDefinition {
    var replacements: [String: String] = [:]
    for column in slotColumns.values {
      guard let expected = column.entityColumn, !names.contains(expected) else { continue }
      let suffix = "_" + column.name.dropFirst()
      replacements[expected] = names.first { name in
        let number = name.dropFirst().dropLast(suffix.count)
        return name.hasPrefix("Z") && name.hasSuffix(suffix) && !number.isEmpty
          && number.allSatisfy { $0.isASCII && $0.isNumber }
      }
    }
    guard !replacements.isEmpty else { return self }
    return TableDefinition(
      root: root,
      name: name,
      columns: columns.map { column in
        Column(name: replacements[column.name] ?? column.name, type: column.type)
      },
      slotColumns: slotColumns.mapValues { column in
        SlotColumn(
          name: column.name,
          kind: column.kind,
          entityColumn: column.entityColumn.map { replacements[$0] ?? $0 },
          orderColumn: column.orderColumn
        )
      }
    )
  }

  private init(
    root: Int,
    name: String,
    columns: [Column],
    slotColumns: [Property: SlotColumn]
  ) {
    self.root = root
    self.name = name
    self.columns = columns
    self.slotColumns = slotColumns
  }

  /// The stored slots of a whole inheritance tree, each once.
  private static func properties(of root: EntityLayout, in model: ModelLayout) -> [SlotLayout] {
    root.family.flatMap { index in
      model.entities[index].slots.filter { $0.entity == index && !$0.isTransient }
    }
  }

  /// The columns of a property; a name that is taken gets a number.
  private static func makeColumn(
    _ candidate: Candidate,
    model: ModelLayout,
    _ numbers: [Int64],
    _ dialect: any SchemaDialect,
    _ names: any SchemaNames,
    used: inout Set<String>
  ) -> SlotColumn {
    let slot = candidate.slot
    let destination = slot.relationship.map { model.entities[$0.destination] }
    let number = destination.map { numbers[$0.index] } ?? 0
    let columns = names.columns(candidate.base, of: slot, destination: number)
    var attempt = 0
    func written(_ name: String) -> String {
      names.written(dialect.name(attempt == 0 ? name : names.numbered(name, attempt)))
    }
    while true {
      let column = SlotColumn(
        name: written(columns.name),
        kind: ColumnKind(slot, dialect.decimals),
        entityColumn: destination.map { $0.family.count > 1 } == true
          ? written(columns.entity) : nil,
        orderColumn: slot.relationship?.inverse?.isOrdered == true && !names.keepsLists
          ? written(columns.order) : nil
      )
      let all = [column.name, column.entityColumn, column.orderColumn].compactMap(\.self)
      if used.isDisjoint(with: all) {
        used.formUnion(all)
        return column
      }
      attempt += 1
    }
  }
}

// MARK: - Order of the columns

extension TableDefinition {
  /// A property with what decides when it gets its columns: group, entity number, attributes before
  /// relationships, then name.
  private struct Candidate {
    let slot: SlotLayout
    /// The name of its column, but for what makes it different from others.
    let base: String
    private let rank: (group: Int, number: Int64, isRelationship: Int)

    init(_ slot: SlotLayout, _ base: String, number: Int64) {
      self.slot = slot
      self.base = base
      rank = (slot.columnType.group, number, slot.relationship == nil ? 0 : 1)
    }

    static func < (left: Candidate, right: Candidate) -> Bool {
      left.rank != right.rank
        ? left.rank < right.rank : left.base.utf8.lexicographicallyPrecedes(right.base.utf8)
    }
  }

  /// A column with what decides its place among the others of its group.
  private struct Entry {
    let column: Column
    let group: Int
    let number: Int64

    static func < (left: Entry, right: Entry) -> Bool {
      left.number != right.number
        ? left.number < right.number
        : left.column.name.utf8.lexicographicallyPrecedes(right.column.name.utf8)
    }
  }

  private static func entries(
    of column: SlotColumn,
    slot: SlotLayout,
    number: Int64,
    _ dialect: any SchemaDialect
  ) -> [Entry] {
    let type = slot.columnType
    let integer = dialect.typeName(of: .integer)
    var entries = [
      Entry(
        column: Column(name: column.name, type: dialect.typeName(of: type.type)),
        group: type.group,
        number: number
      )
    ]
    if let name = column.entityColumn {
      entries.append(
        Entry(column: Column(name: name, type: integer), group: 0, number: number)
      )
    }
    if let name = column.orderColumn {
      entries.append(
        Entry(column: Column(name: name, type: integer), group: 1, number: number)
      )
    }
    return entries
  }
}

extension String {
  /// The text with underscores in place of its dots, which few have.
  package var withoutDots: String {
    utf8.contains(UInt8(ascii: ".")) ? replacing(".", with: "_") : self
  }
}

extension SlotLayout {
  /// What the column holds, and its group in the order of columns.
  fileprivate var columnType: (type: ColumnType, group: Int) {
    guard let attribute else { return (.integer, 0) }
    return switch attribute.type {
    case .int16, .int32, .int64, .bool: (.integer, 0)
    case .double, .float: (.double, 2)
    case .date: (.date, 2)
    case .decimal: (.decimal, 3)
    case .string, .url: (.text, 4)
    case .uuid: (.bytes, 5)
    case .transformable: (.bytes, 6)
    case .binaryData, .undefined, .objectID, .composite: (.bytes, 7)
    }
  }
}
