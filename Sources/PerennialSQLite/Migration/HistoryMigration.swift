// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// Makes a store's history speak of the new model: the numbers of entities, of changed properties, and the
/// places of preserved values.
///
/// What happened to objects of entities that are gone goes with them.
struct HistoryMigration {
  let connection: SQLiteConnection
  let mapping: ModelMapping
  let old: StoreSchema
  let new: StoreSchema

  func run() throws {
    guard let tables = try HistoryTables(connection) else { return }
    let kept = mapping.entities.map { String(old.number(of: $0.source)) }.joined(separator: ", ")
    if tables.hasDetails {
      try connection.execute(
        """
        DELETE FROM \(HistoryTables.details) WHERE Z_PK IN \
        (SELECT Z_PK FROM ACHANGE WHERE ZENTITY NOT IN (\(kept)))
        """
      )
    }
    try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY NOT IN (\(kept))")
    for entity in mapping.entities {
      let translation = HistoryTranslation(entity, mapping)
      try renumberColumns(entity, translation)
      try movePreserved(entity, tables.tombstoneCount)
      if tables.hasDetails, !translation.isIdentity { try translateDetails(entity, translation) }
    }
    let sources = ColumnSources(mapping: mapping, old: old, new: new)
    if let number = sources.renumbering(mapping.entities.map(\.source), "ZENTITY") {
      try connection.execute("UPDATE ACHANGE SET ZENTITY = \(number)")
    }
  }

  /// Writes the bits of the properties that updates changed anew.
  private func renumberColumns(
    _ entity: EntityMapping,
    _ translation: HistoryTranslation
  ) throws {
    let before = HistoryColumns(old.model.entities[entity.source])
    let after = HistoryColumns(new.model.entities[entity.destination])
    let isRenamed = translation.names.contains { $0.key != $0.value }
    guard before != after || isRenamed else { return }
    let number = old.number(of: entity.source)
    let rows = try connection.prepare(
      "SELECT DISTINCT ZCOLUMNS FROM ACHANGE WHERE ZENTITY = \(number) AND ZCOLUMNS IS NOT NULL"
    )
    var lists: [Data] = []
    while try rows.step() { lists.append(rows.data(0)) }
    rows.finalize()
    // Bits that are written must not be met again: they get a byte more until all are.
    let update = try connection.prepare(
      "UPDATE ACHANGE SET ZCOLUMNS = ? WHERE ZENTITY = \(number) AND ZCOLUMNS = ?"
    )
    defer { update.finalize() }
    var written: [(Data, Data)] = []
    for (index, list) in lists.enumerated() {
      let names = Set(before.properties(of: list).compactMap { translation.names[$0] })
      let mark = Data("PERENNIAL \(index)".utf8)
      try update.bind([.blob(mark), .blob(list)])
      try update.run()
      written.append((mark, Data(after.bytes(of: names))))
    }
    for (mark, bytes) in written {
      try update.bind([.blob(bytes), .blob(mark)])
      try update.run()
    }
  }

  /// How many changes are held at a time.
  private static let batchSize = 500

  /// Writes what is kept to undo changes anew.
  private func translateDetails(
    _ entity: EntityMapping,
    _ translation: HistoryTranslation
  ) throws {
    let read = try connection.prepare(
      """
      SELECT d.Z_PK, c.ZCHANGETYPE, d.ZDETAILS FROM \(HistoryTables.details) AS d \
      JOIN ACHANGE AS c ON c.Z_PK = d.Z_PK WHERE d.Z_PK > ? \
      AND c.ZENTITY = \(old.number(of: entity.source)) ORDER BY d.Z_PK LIMIT \(Self.batchSize)
      """
    )
    defer { read.finalize() }
    let update = try connection.prepare(
      "UPDATE \(HistoryTables.details) SET ZDETAILS = ? WHERE Z_PK = ?"
    )
    defer { update.finalize() }
    var last: Int64 = 0
    while true {
      try read.bind([.integer(last)])
      var batch: [(key: Int64, type: Int, details: Data)] = []
      while try read.step() {
        batch.append((read.integer(0), Int(read.integer(1)), read.data(2)))
      }
      guard let end = batch.last?.key else { return }
      last = end
      for (key, type, data) in batch {
        guard let type = PersistentHistoryChangeType(rawValue: type),
          let details = HistoryJSON.decode(HistoryDetails.self, from: data)
        else { continue }
        let translated = HistoryJSON.encode(translation.details(details, of: type))
        try update.bind([translated.map { .blob($0) } ?? .null, .integer(key)])
        try update.run()
      }
    }
  }

  /// Moves the values that deletions preserved to the places of their attributes.
  private func movePreserved(_ entity: EntityMapping, _ count: Int) throws {
    let before = old.model.entities[entity.source]
    let after = new.model.entities[entity.destination]
    let places = after.preservedSlots.map { slot in
      entity.slots[slot].flatMap { before.preservedSlots.firstIndex(of: $0) }
    }
    let isSame = places.enumerated().allSatisfy { $0.offset == $0.element }
    guard !isSame || places.count < before.preservedSlots.count else { return }
    for index in count..<max(count, places.count) {
      let columns = try connection.texts("SELECT name FROM pragma_table_info('ACHANGE')")
      guard !columns.contains("ZTOMBSTONE\(index)") else { continue }
      try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(index) BLOB")
    }
    let assignments = (0..<max(count, places.count)).map { index in
      let source = index < places.count ? places[index] : nil
      return "ZTOMBSTONE\(index) = \(source.map { "ZTOMBSTONE\($0)" } ?? "NULL")"
    }
    let number = old.number(of: entity.source)
    try connection.execute(
      "UPDATE ACHANGE SET \(assignments.joined(separator: ", ")) WHERE ZENTITY = \(number)"
    )
  }
}
