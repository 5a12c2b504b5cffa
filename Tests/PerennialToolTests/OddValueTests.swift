// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import ProgramTesting
import Testing

/// What only another program writes into a store; `Fixtures/INDEX.md` has the rows.
@Suite struct `Stores with values that no library writes` {
  let folder: ToolFolder
  let model = "odd/model.xcdatamodel"

  init() throws {
    folder = try ToolFolder()
    try folder.copy("odd")
  }

  @Test func `values are printed as they are, and nothing twice`() async throws {
    let result = try await folder.run(
      "dump",
      "odd/store.sqlite",
      "--model",
      model,
      "--entity",
      "Thing",
      "--json"
    )
    try #require(result.status == 0, "\(result.errors)")
    let store = "x-coredata://11111111-2222-3333-4444-555555555555"
    #expect(
      result.lines.map { $0.replacing(store, with: "") } == [
        "[",
        """
        {"__id": "/Thing/p1", "_entity": "Thing", "_id": 7, \
        "code": "00010203-0405-0607-0809-0A0B0C0D0E0F", "price": 12.5, \
        "when": "2001-01-01T00:00:00Z", "animal": "/Animal/p1"},
        """,
        """
        {"__id": "/Thing/p2", "_entity": "Thing", "_id": 8, "code": "AQID", "price": "1E+300", \
        "when": "Infinity", "animal": "/Cat/p2"},
        """,
        """
        {"__id": "/Thing/p3", "_entity": "Thing", "_id": 9, "code": "", "price": "inf", \
        "when": "-Infinity", "animal": null},
        """,
        """
        {"__id": "/Thing/p4", "_entity": "Thing", "_id": null, "code": null, "price": "xyz", \
        "when": null, "animal": "/Animal/p9"}
        """,
        "]",
      ]
    )
  }

  @Test func `what is no number is printed as it was written by hand`() async throws {
    let store = folder.file("Town.json")
    try PlaceStore.makeTown(.json(store))
    let text = try String(contentsOf: store, encoding: .utf8)
    try #require(text.contains(":1.5"))
    let checksum = try #require(text.range(of: ",\n\"checksum\":", options: .backwards))
    let edited = text[..<checksum.lowerBound].replacing(":1.5", with: ":\"NaN\"")
    try Data((edited + ",\n\"checksum\":null\n}\n").utf8).write(to: store)
    let result = try await folder.run("dump", "Town.json", "--entity", "Place", "--json")
    try #require(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("\"x\": \"NaN\""), "\(result.text)")
  }

  @Test(arguments: [("huge", "4611686018427387904"), ("negative", "-5")])
  func `a key that no object can have is told`(_ name: String, _ key: String) async throws {
    let before = try folder.contents(of: "odd")
    let store = "odd/\(name).sqlite"
    let message =
      "perennial: error: The store '\(name).sqlite' is damaged: a row has the key \(key), which no object can have"
    let dump = try await folder.run("dump", store, "--model", model, "--entity", "Thing", "--json")
    #expect(dump.status == 1)
    #expect(dump.errorLines.first == message)
    let diff = try await folder.run("diff", store, store, "--model", model)
    #expect(diff.status == 1)
    #expect(diff.errorLines.first == message)
    let convert = try await folder.run("convert", store, "copy.json", "--model", model)
    #expect(convert.status == 1)
    let checked = "'ZTHING' has a row with the key \(key), which no object can have"
    #expect(convert.errorLines.first == "perennial: error: \(checked)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("copy.json").path))
    #expect(try folder.contents(of: "odd") == before)
  }

  @Test func `the distant past is a date, and what is before the year 0 a number`() async throws {
    let date = AttributeDescription("date", .date, isOptional: true)
    let container = try PersistentContainer(
      name: "Events",
      model: ManagedObjectModel(EntityDescription("Event", properties: [.attribute(date)])),
      store: .sqlite(folder.file("Events.sqlite"))
    )
    let context = container.newBackgroundContext()
    for date in [Date.distantPast, Date(timeIntervalSince1970: -62_167_219_201)] {
      try context.insert(entityNamed: "Event").setValue(date, forKey: "date")
      try context.save()
    }
    let result = try await folder.run("dump", "Events.sqlite", "--entity", "Event", "--json")
    #expect(result.text.contains("\"date\": \"0000-12-30T00:00:00Z\""), "\(result.text)")
    #expect(result.text.contains("\"date\": -63145526401"), "\(result.text)")
  }
}
