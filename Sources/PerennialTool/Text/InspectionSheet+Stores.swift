// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialJSON
import PerennialModel
import PerennialSQLite
import PerennialStore

extension InspectionSheet {
  /// What is shown of a SQLite store.
  static func sqlite(
    _ found: SQLiteInspection,
    _ file: StoreFile,
    _ model: LoadedModel?
  ) -> InspectionSheet {
    var sheet = InspectionSheet()
    sheet.addFile(file)
    sheet.addMetadata(found.metadata)
    if let version = found.frameworkVersion {
      sheet.add("frameworkVersion", "Framework", String(version), json: .integer(version))
    }
    let identifiers = found.versionIdentifiers.filter { !$0.isEmpty }
    sheet.add("versionIdentifiers", .array(identifiers.map(JSONValue.string)))
    if !identifiers.isEmpty { sheet.show("Version", identifiers.joined(separator: ", ")) }
    sheet.add("hasModelCache", .bool(found.hasModelCache))
    sheet.addStoredModel(of: file, isThere: found.hasModelCache)
    sheet.addModel(model, found.metadata)
    if let count = found.transactionCount {
      sheet.add(
        "transactions",
        "History",
        count.counted("transaction"),
        json: .integer(count)
      )
    }
    sheet.add("journalMode", "Journal", found.journalMode)
    sheet.add("pageSize", .integer(found.pageSize))
    sheet.add("pages", .integer(found.pageCount))
    sheet.add("freePages", .integer(found.freePageCount))
    let pages = "\(found.pageCount.grouped) of \(found.pageSize.asByteCount)"
    let free = found.freePageCount > 0 ? ", \(found.freePageCount.grouped) of them free" : ""
    sheet.show("Pages", pages + free)
    sheet.add("isIntact", .bool(found.problems.isEmpty))
    sheet.add(
      "problems",
      "Integrity",
      found.problems.isEmpty ? "ok" : found.problems.joined(separator: "; "),
      json: .array(found.problems.map(JSONValue.string))
    )
    if let count = found.missingLargeValueCount {
      sheet.add("missingExternalFiles", .integer(count))
      if count > 0 { sheet.show("Missing", count.counted("large value")) }
    }
    sheet.sections = [entities(found), tables(found), indexes(found)]
    return sheet
  }

  private static func entities(_ found: SQLiteInspection) -> Section {
    var section = Section(name: "entities", title: "Entities")
    section.columns = [
      .init(name: "number", title: "number", isNumber: true), .init(name: "name", title: "name"),
      .init(name: "rows", title: "rows", isNumber: true),
      .init(name: "superentity", title: "superentity"), .init(name: "table", title: "table"),
      .init(name: "versionHash", title: nil),
    ]
    let hashes = found.metadata?.modelVersionHashes ?? [:]
    section.rows = found.entities.map { entity in
      [
        .integer(Int(entity.number)), .string(entity.name), .integer(entity.rowCount),
        .optional(entity.superentity), .optional(entity.table),
        .optional(hashes[entity.name]?.hexadecimal),
      ]
    }
    return section
  }

  private static func tables(_ found: SQLiteInspection) -> Section {
    var section = Section(name: "tables", title: "Tables")
    section.columns = [
      .init(name: "name", title: "name"), .init(name: "rows", title: "rows", isNumber: true),
      .init(name: "bytes", title: "bytes", isNumber: true),
    ]
    section.rows = found.tables.map { table in
      [
        .string(table.name), .integer(table.rowCount),
        table.byteCount.map(JSONValue.integer) ?? .null,
      ]
    }
    return section
  }

  private static func indexes(_ found: SQLiteInspection) -> Section {
    var section = Section(name: "indexes", title: "Indexes")
    section.columns = [
      .init(name: "name", title: "name"), .init(name: "table", title: "table"),
      .init(name: "columns", title: "columns"), .init(name: "isUnique", title: "unique"),
      .init(name: "bytes", title: "bytes", isNumber: true),
    ]
    section.rows = found.indexes.map { index in
      [
        .string(index.name), .string(index.table),
        .array(index.columns.map { .string($0 ?? "(expression)") }), .bool(index.isUnique),
        index.byteCount.map(JSONValue.integer) ?? .null,
      ]
    }
    return section
  }

  /// What is shown of a JSON store.
  static func json(
    _ found: JSONInspection,
    _ problems: [String],
    _ file: StoreFile,
    _ model: LoadedModel?
  ) -> InspectionSheet {
    var sheet = InspectionSheet()
    sheet.addFile(file)
    sheet.addMetadata(found.metadata)
    sheet.addStoredModel(of: file)
    sheet.addModel(model, found.metadata)
    sheet.add(
      "hasHistory",
      "History",
      found.hasHistory ? "yes" : "no",
      json: .bool(found.hasHistory)
    )
    sheet.add("isIntact", .bool(problems.isEmpty))
    sheet.add("problems", .array(problems.map(JSONValue.string)))
    let state = found.hasChecksum ? "ok" : "edited by hand: it has no checksum"
    sheet.add(
      "hasChecksum",
      "Integrity",
      problems.isEmpty ? state : problems.joined(separator: "; "),
      json: .bool(found.hasChecksum)
    )
    var section = Section(name: "entities", title: "Entities")
    section.columns = [
      .init(name: "name", title: "name"), .init(name: "rows", title: "rows", isNumber: true),
      .init(name: "versionHash", title: nil),
    ]
    let hashes = found.metadata.modelVersionHashes
    section.rows = Set(hashes.keys).union(found.objectCounts.keys).sorted().map { name in
      [
        .string(name), .integer(found.objectCounts[name] ?? 0),
        .optional(hashes[name]?.hexadecimal),
      ]
    }
    sheet.sections = [section]
    return sheet
  }

  // MARK: What both have

  private mutating func addFile(_ file: StoreFile) {
    add("store", "Store", file.path)
    add("type", "Type", file.format.title)
    let sizes = FileSizes(file.path, file.format)
    add("bytes", .integer(sizes.main))
    add("logBytes", .integer(sizes.log))
    add("externalFiles", .integer(sizes.externalCount))
    add("externalBytes", .integer(sizes.external))
    show("Size", sizes.line)
  }

  private mutating func addMetadata(_ metadata: PersistentStoreMetadata?) {
    guard let metadata else {
      add("identifier", "Identifier", "missing or unreadable", json: .null)
      return
    }
    add("identifier", "Identifier", metadata.storeID.uuidString)
    let values = metadata.values.sorted { $0.key < $1.key }
    add("metadata", .object(values.map { JSONValue.Member($0.key, $0.value.json) }))
    for (key, value) in values { show(key.escapedForTerminal, value.line) }
  }

  /// Tells whether the store holds its model, of which a cache that cannot be read is one, too.
  private mutating func addStoredModel(of file: StoreFile, isThere: Bool = false) {
    let isThere = isThere || (try? file.storedModel()) != nil
    add("holdsModel", "Model copy", isThere ? "yes" : "no", json: .bool(isThere))
  }

  private mutating func addModel(_ model: LoadedModel?, _ metadata: PersistentStoreMetadata?) {
    guard let model else { return }
    let hashes = model.model.entityVersionHashesByName
    let stored = metadata?.modelVersionHashes ?? [:]
    let different = Set(hashes.keys).union(stored.keys).filter { hashes[$0] != stored[$0] }
    let text =
      different.isEmpty
      ? "the store was written with it"
      : "the store was written with another version: \(different.sorted().joined(separator: ", "))"
    add(
      "model",
      "Model",
      "\(model.name): \(text)",
      json: [
        "name": .string(model.name), "matches": .bool(different.isEmpty),
        "differences": .array(different.sorted().map(JSONValue.string)),
      ]
    )
  }
}
