// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import Foundation
import PerennialSQL

/// Values in PostgreSQL's binary form, one after the other in one buffer: the parameters of a
/// statement, the rows of a `COPY`, or the elements of an array.
///
/// Each is four bytes of length (-1 for null) and then the value, the highest byte first: the form of
/// the protocol's messages, so that nothing is copied twice.
package struct PostgresFields: Sendable {
  /// The lengths and the values.
  package private(set) var bytes: [UInt8] = []
  /// How many values there are.
  package private(set) var count = 0
  /// The number of the first text with a NUL, which must not be sent; from 0 on.
  package private(set) var indexOfNUL: Int?

  package init() {}

  /// The binary forms of values.
  package init(_ values: [PostgresValue]) { for value in values { append(value) } }

  /// Appends a null.
  package mutating func appendNull() { begin(-1) }

  /// Appends a `bigint`.
  package mutating func append(_ value: Int64) { append(word: UInt64(bitPattern: value)) }

  /// Appends a `double precision`.
  package mutating func append(_ value: Double) { append(word: value.bitPattern) }

  /// Appends the length and eight bytes at once.
  ///
  /// Safe because the bytes of the numbers are read within the call only.
  @inline(__always)
  private mutating func append(word: UInt64) {
    let parts = (
      UInt32(8).bigEndian, UInt32(truncatingIfNeeded: word >> 32).bigEndian,
      UInt32(truncatingIfNeeded: word).bigEndian
    )
    withUnsafeBytes(of: parts) { bytes.append(contentsOf: $0) }
    count += 1
  }

  /// Appends a `boolean`.
  package mutating func append(_ value: Bool) {
    begin(1)
    bytes.append(value ? 1 : 0)
  }

  /// Appends a text.
  package mutating func append(_ value: String) {
    var value = value
    // Safe because the bytes are read within the call only.
    let hasNUL = value.withUTF8 { utf8 in
      begin(Int32(clamping: utf8.count))
      bytes.append(contentsOf: utf8)
      return UnsafeRawBufferPointer(utf8).containsNUL
    }
    if hasNUL, indexOfNUL == nil { indexOfNUL = count - 1 }
  }

  /// Appends a `bytea`.
  package mutating func append(_ value: Data) {
    begin(Int32(clamping: value.count))
    bytes.append(contentsOf: value)
  }

  /// Appends a text whose UTF-8 lies somewhere: a packed row's, without a `String`.
  ///
  /// Safe because the bytes are copied within the call.
  package mutating func appendText(_ utf8: UnsafeRawBufferPointer) {
    if indexOfNUL == nil, utf8.containsNUL { indexOfNUL = count }
    appendBytes(utf8)
  }

  /// Appends a `bytea` whose bytes lie somewhere.
  package mutating func appendBytes(_ value: UnsafeRawBufferPointer) {
    begin(Int32(clamping: value.count))
    bytes.append(contentsOf: value)
  }

  /// Appends a `uuid`.
  package mutating func append(_ value: UUID) {
    begin(16)
    // Safe because the bytes are read within the call only.
    withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
  }

  /// Appends a `numeric`.
  package mutating func append(_ value: PostgresNumeric) {
    begin(Int32(8 + 2 * value.groups.count))
    put(UInt16(value.groups.count))
    put(value.weight)
    put(value.sign.rawValue)
    put(value.scale)
    for group in value.groups { put(group) }
  }

  /// Appends an array of one dimension.
  package mutating func append(_ elements: PostgresFields, arrayOf type: PostgresType) {
    let isEmpty = elements.count == 0
    begin(Int32(clamping: (isEmpty ? 12 : 20) + elements.bytes.count))
    put(Int32(isEmpty ? 0 : 1))
    // Whether there are nulls: the server finds out by itself.
    put(Int32(1))
    put(type.number)
    if !isEmpty {
      put(Int32(elements.count))
      put(Int32(1))
    }
    bytes.append(contentsOf: elements.bytes)
    if elements.indexOfNUL != nil, indexOfNUL == nil { indexOfNUL = count - 1 }
  }

  /// Appends an array of `bigint`.
  package mutating func append(_ values: some Sequence<Int64>) {
    var elements = PostgresFields()
    for value in values { elements.append(value) }
    append(elements, arrayOf: .integer)
  }

  /// Appends a value.
  package mutating func append(_ value: PostgresValue) {
    switch value {
    case .null: appendNull()
    case .bool(let value): append(value)
    case .integer(let value): append(value)
    case .double(let value): append(value)
    case .text(let value): append(value)
    case .bytes(let value): append(value)
    case .timestamp(let value): append(value)
    case .numeric(let value): append(value)
    case .uuid(let value): append(value)
    case .array(let values, let type): append(PostgresFields(values), arrayOf: type)
    }
  }

  /// Forgets the values and keeps the memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    count = 0
    indexOfNUL = nil
  }

  /// Appends what precedes the values of a row in a `COPY`.
  mutating func beginRow(_ columnCount: Int16) { put(columnCount) }

  /// Appends bytes that are no value.
  mutating func appendRaw(_ raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

  private mutating func begin(_ length: Int32) {
    put(length)
    count += 1
  }

  /// Safe because the bytes of the number are read within the call only.
  @inline(__always)
  private mutating func put(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }
}
#endif
