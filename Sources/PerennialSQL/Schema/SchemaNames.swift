// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// How a store calls its tables, columns and indexes.
///
/// ``SchemaBuilder`` asks while it makes a schema, never later. Names are wishes: the builder shortens them to what the
/// engine takes (``SchemaDialect/name(_:)``), and gives numbers to those that others have already.
package protocol SchemaNames: Sendable {
  /// The columns of every row.
  var rows: RowNames { get }
  /// The table of the entities' numbers.
  var counters: CounterNames { get }
  /// The table of the metadata.
  var metadata: MetadataNames { get }

  /// Whether members are in lists, each with a table of its own: then there are no tables of links, and no columns of
  /// orders.
  var keepsLists: Bool { get }

  /// The names, other than those of entities and links, that tables and indexes cannot have.
  var reservedTables: Set<String> { get }

  /// What a table's name takes besides: of some engines the index of its key has a name that follows from it.
  func indexNames(ofTable name: String) -> [String]

  /// A name that is taken, for another attempt from 1 on.
  func numbered(_ name: String, _ attempt: Int) -> String

  /// A name, shortened already, as statements write it.
  func written(_ name: String) -> String

  /// The name that statements write so.
  func unwritten(_ name: String) -> String

  /// The table of a root entity.
  func table(of entity: EntityLayout) -> String

  /// The word by which a property's columns are named and ordered.
  func columnBase(of slot: SlotLayout) -> String

  /// The columns of a property.
  ///
  /// - Parameters:
  ///   - base: The word.
  ///   - slot: The property.
  ///   - destination: The number of the destination of a relationship.
  /// - Returns: The column of the value; of a to-one relationship also those of the number of the concrete entity, and of
  ///   the place in the owner's order.
  func columns(_ base: String, of slot: SlotLayout, destination: Int64) -> (
    name: String, entity: String, order: String
  )

  /// The table of a link.
  func table(of link: LinkLayout, _ model: ModelLayout, _ numbers: [Int64]) -> String

  /// The table of the lists of a relationship.
  func table(ofLists relationship: String, of entity: String) -> String

  /// The columns of every link: of the first object's key and of the second's.
  func joinColumns(_ model: ModelLayout, _ numbers: [Int64]) -> [(first: String, second: String)]

  /// The column of the places of the objects whose keys another column of a link's table has.
  func order(_ column: String) -> String

  /// The index of a column, or two, by which rows of relationships are found.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - column: The first column.
  /// - Returns: The name.
  func index(ofTable table: String, _ column: String) -> String

  /// The index that the model calls by a name.
  func index(_ name: String, of entity: EntityLayout) -> String

  /// The index of a uniqueness constraint.
  func constraint(_ properties: [String], of entity: EntityLayout) -> String
}
