// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import Testing

@Suite("Values and packed rows")
struct ValueTests {
  @Test func `text is compared and hashed by its bytes`() {
    let (composed, decomposed) = (PropertyValue.string("\u{E9}"), PropertyValue.string("e\u{301}"))
    #expect("\u{E9}" == "e\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, .string("\u{E9}")]).count == 2)
  }

  @Test func `values of different cases differ`() {
    let values: [PropertyValue] = [
      .null, .boolean(true), .integer(1), .double(1), .decimal(1), .string("1"), .data(Data([1])),
    ]
    #expect(Set(values).count == values.count)
    #expect(PropertyValue.null.isNull)
  }

  /// Packs a value, reads it back, and says whether the slot is null.
  private func roundTrip<Value: AttributeValue>(_ value: Value) -> (Value, isNull: Bool) {
    var builder = PageBuilder(byteCount: 64)
    builder.begin(key: 1, version: 1, entity: 0, slotCount: 2)
    value._withSlotValue { slotValue in
      switch slotValue {
      case .null: break
      case .word(let word): builder.put(1, word: word)
      case .bytes(let bytes): builder.put(1, bytes: bytes)
      }
    }
    builder.end()
    let page = builder.seal()
    return withExtendedLifetime(page) {
      (Value._load(page.row(0), 1), PackedRow.isNull(page.row(0), 1))
    }
  }

  private func expectSame<Value: AttributeValue & Equatable>(_ values: Value...) {
    for value in values {
      let (copy, isNull) = roundTrip(value)
      #expect(copy == value)
      #expect(!isNull)
      let (some, _) = roundTrip(Optional(value))
      #expect(some == value)
    }
    let (none, isNull) = roundTrip(Value?.none)
    #expect(none == nil)
    #expect(isNull)
  }

  @Test func `extremes survive a row`() throws {
    expectSame(Int16.min, .max, 0, -1)
    expectSame(Int32.min, .max)
    expectSame(Int64.min, .max)
    expectSame(Int.min, .max)
    expectSame(true, false)
    expectSame(Double.infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0)
    expectSame(Float.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -0.1)
    expectSame(Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0.1))
    expectSame("", "\u{0}", "e\u{301}", String(repeating: "🙂", count: 2_000))
    expectSame(Data(), Data([0]), Data(repeating: 7, count: 70_000))
    expectSame(UUID(), try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000000")))
    expectSame(
      try #require(Decimal(string: "12345678901234567890123456789012345678")),
      try #require(Decimal(string: "-0.00000000000000000000000000000000000001")),
      0
    )
    expectSame(
      try #require(URL(string: "https://example.org/a%20b?c#d")),
      try #require(URL(string: "relative"))
    )
  }

  @Test func `minus zero keeps its sign and NaN stays NaN`() {
    #expect(roundTrip(-0.0).0.sign == .minus)
    #expect(roundTrip(Double.nan).0.isNaN)
  }

  @Test func `null reads as the type's zero`() {
    let row = RowTemplate.make(Self.entity(slotCount: 1)) { _ in false }
    #expect(String._load(row.row(0), 0) == "")
    #expect(Data._load(row.row(0), 0) == Data())
    #expect(Int._load(row.row(0), 0) == 0)
    #expect(Decimal._load(row.row(0), 0) == 0)
    #expect(UUID._load(row.row(0), 0).uuidString == "00000000-0000-0000-0000-000000000000")
    #expect(URL._load(row.row(0), 0).absoluteString == "about:blank")
  }

  private static func entity(slotCount: Int) -> EntityLayout {
    let properties = (0..<slotCount).map { PropertyDescription.attribute("a\($0)", .int64) }
    let model = try? ManagedObjectModel(EntityDescription("A", properties: properties))
    guard let entity = model?.layout.entities.first else {
      preconditionFailure("The model of the test is not valid.")
    }
    return entity
  }

  @Test(arguments: [1, 14, 15, 16, 17, 63, 64, 65, 78, 79, 80, 128, 129, 130, 143, 144])
  func `a row of many slots keeps every value and null apart`(_ count: Int) {
    var builder = PageBuilder(byteCount: 64)
    for row in 0..<3 {
      builder.begin(key: Int64(row) - 1, version: .max, entity: 65_000, slotCount: count)
      for slot in 0..<count where slot % 3 != row { builder.put(slot, word: UInt64(slot) << 40) }
      builder.end()
    }
    let page = builder.seal()
    #expect(page.count == 3)
    for row in 0..<3 {
      let pointer = page.row(row)
      #expect(PackedRow.key(pointer) == Int64(row) - 1)
      #expect(PackedRow.version(pointer) == .max)
      #expect(PackedRow.entity(pointer) == 65_000)
      for slot in 0..<count {
        #expect(PackedRow.isNull(pointer, slot) == (slot % 3 == row))
        #expect(PackedRow.word(pointer, slot) == (slot % 3 == row ? 0 : UInt64(slot) << 40))
      }
    }
  }

  // Safe because the builder copies the bytes that it is lent.
  @Test func `no row begins behind what 32 bits can say, however small the rows before it`() {
    let limit = 100_000
    var builder = PageBuilder(byteCount: 64, greatestStart: limit)
    var pages: [RowPage] = []
    let large = [UInt8](repeating: 7, count: limit - 1)
    for number in 0..<520 {
      if builder.isFull, builder.hasRows { pages.append(builder.seal()) }
      builder.begin(key: Int64(number), version: 1, entity: 0, slotCount: 1)
      if number >= 500 { large.withUnsafeBytes { builder.put(0, bytes: $0) } }
      builder.end()
    }
    pages.append(builder.seal())
    let starts = pages.flatMap(\.offsets)
    #expect(starts.count == 520)
    #expect(starts.allSatisfy { $0 <= limit })
  }

  @Test(arguments: [1, 15, 16, 79, 80])
  func `a new header keeps nulls and takes the note of unsaved values`(_ count: Int) {
    var builder = PageBuilder(byteCount: 64)
    builder.begin(key: -1, version: 1, entity: 2, slotCount: count)
    for slot in 0..<count where slot % 2 == 0 { builder.put(slot, word: 7) }
    #expect(!PackedRow.hasUnsavedValues(builder.row))
    PackedRow.noteUnsavedValues(builder.row)
    #expect(PackedRow.hasUnsavedValues(builder.row))
    #expect((0..<count).allSatisfy { PackedRow.isNull(builder.row, $0) == ($0 % 2 == 1) })
    let nulls = PackedRow.nullBits(builder.row, slotCount: count)
    #expect((0..<min(count, 64)).allSatisfy { nulls >> UInt64($0) & 1 == UInt64($0 % 2) })
    PackedRow.setHeader(builder.row, key: 5, version: 6, entity: 65_534)
    #expect(!PackedRow.hasUnsavedValues(builder.row))
    #expect((0..<count).allSatisfy { PackedRow.isNull(builder.row, $0) == ($0 % 2 == 1) })
    #expect(PackedRow.entity(builder.row) == 65_534)
  }

  @Test(arguments: [Int64(1), -1, 140_737_488_355_327, -140_737_488_355_328])
  func `a reference keeps key and entity`(_ key: Int64) {
    let reference = ObjectReference(key: key, entity: 64_999)
    #expect(reference.key == key)
    #expect(reference.entity == 64_999)
  }
}
