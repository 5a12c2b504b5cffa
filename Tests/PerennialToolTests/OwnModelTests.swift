// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import ProgramTesting
import Testing

/// Stores that hold their models, which differ: composite values, subentities, entities that only one has.
@Suite struct `Stores of different models` {
  let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
    try PlaceStore.makeTown(.sqlite(folder.file("Town.sqlite")))
    var park = StoreDescription.json(folder.file("Park.json"))
    park.historyTracking = true
    try PlaceStore.makePark(park)
  }

  @Test func `composite values are objects in JSON, and named in a table`() async throws {
    let json = try await folder.run("dump", "Town.sqlite", "--entity", "Place", "--json")
    try #require(json.status == 0, "\(json.errors)")
    #expect(json.text.contains("\"point\": {\"x\": 1.5, \"label.text\": \"here\"}"))
    #expect(json.text.contains("\"point\": {\"x\": null, \"label.text\": null}"))
    #expect(json.text.contains("\"founded\": 1000000000000"))
    let table = try await folder.run("dump", "Town.sqlite", "--entity", "Place")
    let lines = table.lines.map { $0.split(separator: "  ").map { $0.drop { $0 == " " } } }
    #expect(lines[0] == ["id", "name", "point", "founded", "parent", "children"])
    #expect(
      lines[1] == [
        "Place/p1", "Town", "x: 1.5, label.text: here", "1000000000000.0 s after 2001", "Place/p2",
      ]
    )
    #expect(lines[2] == ["Place/p2", "1970-01-01T00:00:00Z", "Place/p1"])
  }

  @Test func `what differs is told for each property, also for those that one side lacks`()
    async throws
  {
    let result = try await folder.run("diff", "Town.sqlite", "Park.json")
    #expect(result.status == 1, "\(result.errors)")
    #expect(
      result.lines == [
        "+ Guest/p1", "~ Place/p1", "    _entity: 'Place' -> 'Park'",
        "    point: x: 1.5, label.text: here -> ",
        "    founded: 1000000000000.0 s after 2001 -> no such property",
        "    children: Place/p2 -> no objects", "    note: no such property -> no value",
        "    size: no such property -> 7", "~ Place/p2",
        "    founded: 1970-01-01T00:00:00Z -> no such property", "    parent: Place/p1 -> no value",
        "    note: no such property -> 'a note'", "- Visitor/p1",
        "1 only in A, 1 only in B, 2 changed, 0 equal",
      ]
    )
    let json = try await folder.run("diff", "Town.sqlite", "Park.json", "--json")
    #expect(json.status == 1)
    #expect(json.text.contains("\"size\": {\"a\": null, \"b\": 7}"))
    #expect(
      json.text.contains("\"point\": {\"a\": {\"x\": 1.5, \"label.text\": \"here\"}, \"b\": {")
    )
  }

  @Test func `a store may be named in the place of its model`() async throws {
    let copied = try await folder.run("convert", "Town.sqlite", "Town.json")
    #expect(copied.text == "SQLite to JSON: Town.json\n")
    let own = try await folder.run(
      "dump",
      "Town.sqlite",
      "--entity",
      "Place",
      "--model",
      "Town.json"
    )
    #expect(own.status == 0, "\(own.errors)")
    let version = try await folder.run("model", "Town.sqlite", "--version", "Town")
    #expect(version.status == 64)
    #expect(
      version.errorLines == [
        "perennial: error: '--version' is for model files, and 'Town.sqlite' is a store",
        "Leave '--version Town' out.",
      ]
    )
  }

  @Test(arguments: ["Town.sqlite", "Park.json"])
  func `a store of Perennial's own says that it holds its model`(store: String) async throws {
    let result = try await folder.run("inspect", store)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.contains("Model copy  yes"), "\(result.text)")
  }

  @Test func `a store that has lost its model says how to give it`() async throws {
    try folder.copy("users")
    try SQLiteDatabase(folder.file("users/store.sqlite")).run("DROP TABLE Z_MODELCACHE")
    let place = folder.file("Park.json")
    let text = try String(contentsOf: place, encoding: .utf8)
    let start = try #require(text.range(of: "\"schema\":"))
    let next = try #require(text.range(of: "\"nextKeys\":"))
    let end = try #require(text.range(of: ",\n\"checksum\":"))
    let cut =
      text[..<start.lowerBound] + text[next.lowerBound..<end.lowerBound]
      + ",\n\"checksum\":null\n}\n"
    try Data(cut.utf8).write(to: place)
    for (store, name) in [("users/store.sqlite", "store.sqlite"), ("Park.json", "Park.json")] {
      let model = try await folder.run("model", store)
      #expect(model.status == 1)
      #expect(
        model.errorLines == [
          "perennial: error: '\(name)' does not hold its model",
          "Name the model's file instead of the store's.",
        ]
      )
      let dump = try await folder.run("dump", store, "--entity", "Place")
      #expect(dump.errorLines.last == "Give the model's file with '--model FILE'.")
    }
    let inspected = try await folder.run("inspect", "Park.json")
    #expect(inspected.status == 0, "\(inspected.errors)")
    #expect(inspected.text.contains("edited by hand: it has no checksum"))
    #expect(inspected.lines.contains("History     yes"), "\(inspected.text)")
    #expect(inspected.lines.contains("Model copy  no"), "\(inspected.text)")
  }

  @Test func `the kind that is said must be the kind that it is`() async throws {
    let result = try await folder.run("convert", "Town.sqlite", "x.json", "--from", "json")
    #expect(result.status == 1)
    #expect(
      result.errorLines == [
        "perennial: error: 'Town.sqlite' is a SQLite store, not a JSON one",
        "Leave '--from json' out.",
      ]
    )
  }

  @Test func `what was copied is told as JSON, too`() async throws {
    let convert = try await folder.run(
      "convert",
      "Park.json",
      "Park.sqlite",
      "--from",
      "json",
      "--json"
    )
    #expect(
      try convert.decoded() == ["from": "json", "to": "sqlite", "store": "Park.sqlite"],
      "\(convert.errors)"
    )
    struct Backup: Decodable {
      var backup: String
      var bytes: Int
    }
    let backup: Backup = try await folder.run("backup", "Park.sqlite", "Copy.sqlite", "--json")
      .decoded()
    let size = try folder.file("Copy.sqlite").resourceValues(forKeys: [.fileSizeKey]).fileSize
    #expect(backup.backup == "Copy.sqlite" && backup.bytes == size)
    let vacuum = try await folder.run("vacuum", "Park.sqlite")
    #expect(vacuum.status == 0)
    #expect(vacuum.text.contains(" before, ") && vacuum.text.hasSuffix(" after\n"))
    let json = try await folder.run("vacuum", "Park.json")
    #expect(json.status == 0)
    #expect(json.text.isEmpty)
    #expect(json.errors == "Every save writes a JSON store anew: there is nothing to do.\n")
    let sizes: [String: Int] = try await folder.run("vacuum", "Park.json", "--json").decoded()
    let parkSize = try folder.file("Park.json").resourceValues(forKeys: [.fileSizeKey]).fileSize
    #expect(sizes["before"] == parkSize && sizes["after"] == parkSize)
  }
}
