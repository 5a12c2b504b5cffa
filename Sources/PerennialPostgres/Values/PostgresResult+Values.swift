// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import Foundation

extension PostgresResult {
  /// A `uuid`; `nil` for a null.
  package func uuid(_ row: Int, _ column: Int) -> UUID? {
    withBytes(row, column) { bytes in
      // Safe because the bytes are copied within the call only.
      bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
    }
  }

  /// A `numeric`; `nil` for a null and for what is none.
  package func numeric(_ row: Int, _ column: Int) -> PostgresNumeric? {
    withBytes(row, column) { bytes in
      var reader = FieldReader(bytes: Array(bytes)[...])
      return reader.numeric()
    }
  }

  /// A value of a type that ``PostgresValue`` has.
  ///
  /// - Throws: That the answer is unexpected, for other types and for bytes that are none of the type.
  package func value(_ row: Int, _ column: Int) throws(PostgresFailure) -> PostgresValue {
    if isNull(row, column) { return .null }
    let type = typeNumber(ofColumn: column)
    let value = withBytes(row, column) { bytes -> PostgresValue? in
      var reader = FieldReader(bytes: Array(bytes)[...])
      return reader.value(ofType: type)
    }
    guard let value else {
      throw PostgresFailure(
        .unexpectedAnswer,
        "the column '\(name(ofColumn: column))' has a type that is not known (\(type))"
      )
    }
    return value
  }

  /// The values of a row.
  package func values(_ row: Int) throws(PostgresFailure) -> [PostgresValue] {
    var values: [PostgresValue] = []
    for column in 0..<columnCount { values.append(try value(row, column)) }
    return values
  }
}

extension PostgresFields {
  /// The values, as far as their types are known.
  func values(of types: [PostgresType]) -> [PostgresValue] {
    var reader = FieldReader(bytes: bytes[...])
    var values: [PostgresValue] = []
    for type in types {
      guard let length = reader.number(Int32.self) else { break }
      var value = PostgresValue.null
      if length >= 0 {
        var field = FieldReader(bytes: reader.bytes.prefix(Int(length)))
        value = field.value(ofType: type.number) ?? .null
        reader.bytes.removeFirst(Int(length))
      }
      values.append(value)
    }
    return values
  }
}

/// Reads values out of their binary form; every function is `nil` when there are too few bytes.
private struct FieldReader {
  var bytes: ArraySlice<UInt8>

  mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
    let width = Number.bitWidth / 8
    guard bytes.count >= width else { return nil }
    defer { bytes.removeFirst(width) }
    return bytes.prefix(width).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  /// The value that is all that is left.
  mutating func value(ofType number: UInt32) -> PostgresValue? {
    switch number {
    case 16: return bytes.count == 1 ? .bool(bytes.first == 1) : nil
    case 17: return .bytes(Data(bytes))
    case 20: return self.number(Int64.self).map { .integer($0) }
    case 23, 26: return self.number(Int32.self).map { .integer(Int64($0)) }
    case 21: return self.number(Int16.self).map { .integer(Int64($0)) }
    case 701: return self.number(UInt64.self).map { .double(Double(bitPattern: $0)) }
    case 700: return self.number(UInt32.self).map { .double(Double(Float(bitPattern: $0))) }
    case 18, 19, 25, 705, 1042, 1043: return .text(String(decoding: bytes, as: UTF8.self))
    case 1184: return self.number(Int64.self).map { .timestamp(microseconds: $0) }
    case 1700: return numeric().map { .numeric($0) }
    case 2950:
      guard bytes.count == 16 else { return nil }
      let hex = bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }
      let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hex[$0].joined() }
      return UUID(uuidString: parts.joined(separator: "-")).map { .uuid($0) }
    case 2278: return .null
    default:
      let types: [PostgresType] = [
        .bool, .bytes, .integer, .text, .double, .timestamp, .numeric, .uuid,
      ]
      return types.first { $0.arrayNumber == number }.flatMap { array(of: $0) }
    }
  }

  private mutating func array(of type: PostgresType) -> PostgresValue? {
    guard let dimensions = number(Int32.self), number(Int32.self) != nil,
      number(UInt32.self) == type.number
    else { return nil }
    if dimensions == 0 { return .array([], of: type) }
    guard dimensions == 1, let count = number(Int32.self), number(Int32.self) != nil else {
      return nil
    }
    var values: [PostgresValue] = []
    for _ in 0..<count {
      guard let length = number(Int32.self) else { return nil }
      if length < 0 {
        values.append(.null)
        continue
      }
      guard bytes.count >= length else { return nil }
      var element = FieldReader(bytes: bytes.prefix(Int(length)))
      guard let value = element.value(ofType: type.number) else { return nil }
      values.append(value)
      bytes.removeFirst(Int(length))
    }
    return .array(values, of: type)
  }

  mutating func numeric() -> PostgresNumeric? {
    guard let count = number(UInt16.self), let weight = number(Int16.self),
      let sign = number(UInt16.self).flatMap({ PostgresNumeric.Sign(rawValue: $0) }),
      let scale = number(UInt16.self)
    else { return nil }
    var groups: [UInt16] = []
    for _ in 0..<count {
      guard let group = number(UInt16.self) else { return nil }
      groups.append(group)
    }
    // What is no number has a scale all the same, which means nothing.
    let isNumber = sign == .positive || sign == .negative
    return PostgresNumeric(
      sign: sign,
      groups: groups,
      weight: isNumber ? weight : 0,
      scale: isNumber ? scale : 0
    )
  }
}
#endif
