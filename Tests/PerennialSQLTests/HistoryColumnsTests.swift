// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import Testing

@Suite("Bits of changed properties")
struct HistoryColumnsTests {
  private let columns: HistoryColumns

  /// In the order of their bytes: `C`, `a00` to `a08`, `b`, `é`.
  init() throws {
    let names = ["é", "b", "C"] + (0...8).map { "a0\($0)" }
    let model = try ManagedObjectModel(
      EntityDescription(
        "Thing",
        properties: names.map { .attribute($0, .int64, optional: true) } + [
          .attribute("fleeting", .int64, optional: true, transient: true)
        ]
      )
    ).layout
    columns = HistoryColumns(model.entities[0])
  }

  @Test func `bit 0 is the least of the first byte`() {
    #expect(columns.bytes(of: []) == [0, 0])
    #expect(columns.bytes(of: ["C"]) == [1, 0])
    #expect(columns.bytes(of: ["a00", "a06"]) == [0b1000_0010, 0])
    #expect(columns.bytes(of: ["a07", "é"]) == [0, 0b0000_1001])
    #expect(columns.bytes(of: ["fleeting", "unknown"]) == [0, 0])
  }

  @Test func `bytes give the properties back`() {
    for names: Set<String> in [[], ["C"], ["a00", "a07", "é"], ["b"]] {
      #expect(columns.properties(of: columns.bytes(of: names)) == names)
    }
  }

  @Test func `bits of no property, and bytes that are missing, are none`() {
    #expect(columns.properties(of: [0b1, 0b1111_0000, 0xFF]) == ["C"])
    #expect(columns.properties(of: [0b10]) == ["a00"])
    #expect(columns.properties(of: []) == [])
  }
}
