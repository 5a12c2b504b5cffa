// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@Suite("Values of slots as engines compare them")
struct SlotKeyTests {
  @Test(
    arguments: [
      ("1", "1"), ("1.0", "1"), ("1.00", "1"), ("+1", "1"), ("01", "1"), ("1.", "1"),
      ("0", "0"), ("-0", "0"), ("0.00", "0"), ("0e5", "0"), ("-0.0e-3", "0"),
      ("-12.50", "-125e-1"), (".5", "5e-1"), ("0.120", "12e-2"), ("1200", "12e2"),
      ("1.2e3", "12e2"), ("12E+2", "12e2"), ("12000e-1", "12e2"), ("5e0", "5"),
      (
        "123456789012345678901234567890.000000000000000001",
        "123456789012345678901234567890000000000000000001e-18"
      ),
      ("NaN", "NaN"), ("", ""), ("-", "-"), (".", "."), ("1.2.3", "1.2.3"), ("1e", "1e"),
      ("e5", "e5"), ("1-2", "1-2"), ("12e99999999999", "12e99999999999"), ("x", "x"),
    ]
  )
  func `a decimal number has one text`(_ text: String, _ canonical: String) {
    #expect(SlotKey.canonical(text) == canonical)
  }

  @Test func `a canonical text is its own`() {
    for text in ["1.0", "-12.50", "0.120", "1200", "0", "1e-30"] {
      let canonical = SlotKey.canonical(text)
      #expect(SlotKey.canonical(canonical) == canonical)
    }
  }

  /// The value of an attribute of an author.
  private func key(
    _ name: String,
    _ value: Row.Value?,
    _ decimals: DecimalStorage = .exact
  ) throws -> SlotKey {
    let models = try DialectModel()
    let layout = models.model.entities[models.entity("Author")]
    let slot = try #require(layout.slotsByName[name])
    let pages = models.model.pages("Author", [Row(1, value.map { [name: $0] } ?? [:])])
    let row = PageRow(page: try #require(pages.first), index: 0)
    return SlotKey(row.pointer, slot, layout, decimals)
  }

  @Test func `a value is a parameter of its kind`() throws {
    let bytes = Data([1, 0, 255])
    let values: [(SlotKey, SlotKey, SQLValue)] = [
      (try key("name", nil), .null, .null),
      (try key("name", "x"), .text([0x78]), .text("x")),
      (try key("age", 7), .integer(7), .integer(7)),
      (try key("flag", true), .integer(1), .integer(1)),
      (try key("score", 0.5), .number(0.5), .double(0.5)),
      (try key("photo", .value(.data(bytes))), .data([1, 0, 255]), .blob(bytes)),
      (try key("boss", .reference("Author", 9)), .integer(9), .integer(9)),
    ]
    for (found, expected, parameter) in values {
      #expect(found == expected)
      #expect(found.sqlValue == parameter)
    }
  }

  /// Safe because the bytes are copied within the call.
  @Test func `a text that is no number is compared as a text where numbers are`() throws {
    let models = try DialectModel()
    let layout = models.model.entities[models.entity("Author")]
    let slot = try #require(layout.slotsByName["rate"])
    var builder = PageBuilder()
    builder.begin(key: 1, version: 1, entity: layout.index, slotCount: layout.slots.count)
    Array("one".utf8).withUnsafeBytes { builder.put(slot, bytes: $0) }
    builder.end()
    let row = PageRow(page: builder.seal(), index: 0)
    for decimals in [DecimalStorage.numbers, .exact] {
      #expect(SlotKey(row.pointer, slot, layout, decimals).sqlValue == .text("one"))
    }
  }

  @Test func `a decimal number is compared as the engine keeps it`() throws {
    func key(_ text: String, _ decimals: DecimalStorage) throws -> SlotKey {
      let number = try #require(Decimal(string: text))
      return try self.key("rate", .value(.decimal(number)), decimals)
    }
    #expect(try key("1.50", .exact) == .decimal("15e-1"))
    #expect(try key("1.50", .exact).sqlValue == .text("15e-1"))
    #expect(try key("1.50", .numbers) == .number(1.5))
    #expect(try key("-7", .numbers) == .integer(-7))
    // One that no 64 bits hold is a floating-point number.
    #expect(try key("9223372036854775808", .numbers) == .number(9_223_372_036_854_775_808))
  }
}
