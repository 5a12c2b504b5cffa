// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Names as Core Data gives them (FORMAT 2.4, 2.5 and 2.7): `ZCOMMIT`, `Z_PK`, `ZAUTHOR`.
package struct CoreDataNames: SchemaNames {
  package init() {}

  package static let rows = RowNames(
    key: "Z_PK",
    entity: "Z_ENT",
    version: "Z_OPT",
    hasEntityEverywhere: true
  )

  package var rows: RowNames { Self.rows }

  package var keepsLists: Bool { false }

  package var counters: CounterNames {
    CounterNames(
      table: "Z_PRIMARYKEY",
      entity: "Z_ENT",
      name: "Z_NAME",
      superentity: "Z_SUPER",
      greatest: "Z_MAX"
    )
  }

  package var metadata: MetadataNames {
    MetadataNames(
      table: "Z_METADATA",
      version: "Z_VERSION",
      identifier: "Z_UUID",
      propertyList: "Z_PLIST"
    )
  }

  package var reservedTables: Set<String> { ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"] }

  package func indexNames(ofTable name: String) -> [String] { [] }

  package func numbered(_ name: String, _ attempt: Int) -> String { name + String(attempt) }

  package func written(_ name: String) -> String { name }

  package func unwritten(_ name: String) -> String { name }

  package func table(of entity: EntityLayout) -> String { "Z" + entity.name.uppercased() }

  /// In capitals; an element of a composite follows an underscore.
  package func columnBase(of slot: SlotLayout) -> String { slot.name.uppercased().withoutDots }

  package func columns(_ base: String, of slot: SlotLayout, destination: Int64) -> (
    name: String, entity: String, order: String
  ) {
    ("Z" + base, "Z\(destination)_\(base)", "Z_FOK_" + base)
  }

  package func table(of link: LinkLayout, _ model: ModelLayout, _ numbers: [Int64]) -> String {
    "Z_\(numbers[link.first.entity])\(link.first.name.uppercased())"
  }

  /// Not asked: there are no such lists in Core Data's stores.
  package func table(ofLists relationship: String, of entity: String) -> String {
    "Z\(entity)_\(relationship)".uppercased()
  }

  /// The name that the table would have if the inverse named it.
  package static func alternativeTable(of link: LinkLayout, _ numbers: [Int64]) -> String? {
    link.second.name.map { "Z_\(numbers[link.second.entity])\($0.uppercased())" }
  }

  /// A column is named after the relationship that leads to its object.
  ///
  /// Where an entity has two of one name, the later one, by the name of the relationship back, gets a number. A relationship
  /// without inverse leaves its owner's column without a name: it is called after the relationship
  /// with an underscore (`Z_4_TAGS`); no store of Core Data shows what Core Data does.
  package func joinColumns(
    _ model: ModelLayout,
    _ numbers: [Int64]
  ) -> [(first: String, second: String)] {
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

  package func order(_ column: String) -> String {
    "Z_FOK_" + (column.hasPrefix("Z_") ? String(column.dropFirst(2)) : column)
  }

  package func index(ofTable table: String, _ column: String) -> String {
    "\(table)_\(column)_INDEX"
  }

  package func index(_ name: String, of entity: EntityLayout) -> String {
    "Z_\(entity.name)_\(name)".withoutDots
  }

  package func constraint(_ properties: [String], of entity: EntityLayout) -> String {
    "Z_\(entity.name)_UNIQUE_\(properties.joined(separator: "_"))".withoutDots
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
