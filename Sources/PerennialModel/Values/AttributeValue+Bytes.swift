// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The attribute types that lie behind the slots: text, data, identifiers, URLs and decimals.
// Safe because a row pointer is used only while the object or page that owns it is alive,
// and the bytes of a value only inside the call that lends them.

public import Foundation

extension String: AttributeValue {
  /// Text.
  public static var _attributeType: AttributeType { .string }
  /// The text; bytes that are not UTF-8 become U+FFFD.
  @inlinable
  @inline(__always)
  public static func _load(_ row: UnsafeRawPointer, _ slot: Int) -> String {
    String(decoding: PackedRow.bytes(row, slot), as: UTF8.self)
  }
  /// The UTF-8 bytes.
  @inlinable
  @inline(__always)
  public func _withSlotValue<Result>(_ body: (SlotValue) -> Result) -> Result {
    // Not at once by `withUTF8`, which wants a copy of its own.
    let result = utf8.withContiguousStorageIfAvailable {
      body(.bytes(UnsafeRawBufferPointer($0)))
    }
    if let result { return result }
    var text = self
    return text.withUTF8 { body(.bytes(UnsafeRawBufferPointer($0))) }
  }
  /// The text.
  public var _propertyValue: PropertyValue { .string(self) }
}

extension Data: AttributeValue {
  /// Bytes.
  public static var _attributeType: AttributeType { .binaryData }
  /// A copy of the bytes.
  public static func _load(_ row: UnsafeRawPointer, _ slot: Int) -> Data {
    Data(PackedRow.bytes(row, slot))
  }
  /// The bytes.
  public func _withSlotValue<Result>(_ body: (SlotValue) -> Result) -> Result {
    withUnsafeBytes { body(.bytes($0)) }
  }
  /// The bytes.
  public var _propertyValue: PropertyValue { .data(self) }
}

extension UUID: AttributeValue {
  /// 16 bytes in RFC order.
  public static var _attributeType: AttributeType { .uuid }
  /// The identifier; all zero when the slot is null or has another size.
  public static func _load(_ row: UnsafeRawPointer, _ slot: Int) -> UUID {
    let bytes = PackedRow.bytes(row, slot)
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    if bytes.count == 16 { withUnsafeMutableBytes(of: &uuid) { $0.copyMemory(from: bytes) } }
    return UUID(uuid: uuid)
  }
  /// The 16 bytes.
  public func _withSlotValue<Result>(_ body: (SlotValue) -> Result) -> Result {
    withUnsafeBytes(of: uuid) { body(.bytes($0)) }
  }
  /// The identifier.
  public var _propertyValue: PropertyValue { .uuid(self) }
}

extension URL: AttributeValue {
  /// An absolute string.
  public static var _attributeType: AttributeType { .url }
  /// The URL; `about:blank` when the slot is null or holds no URL.
  public static func _load(_ row: UnsafeRawPointer, _ slot: Int) -> URL {
    _stored(String._load(row, slot))
  }
  /// The absolute string's bytes.
  public func _withSlotValue<Result>(_ body: (SlotValue) -> Result) -> Result {
    absoluteString._withSlotValue(body)
  }
  /// The URL.
  public var _propertyValue: PropertyValue { .url(self) }

  /// The URL of a stored text; `about:blank` for one that is none.
  package static func _stored(_ text: String) -> URL { URL(string: text) ?? blank }

  private static let blank = URL(string: "about:blank") ?? URL(fileURLWithPath: "/")
}

extension Decimal: AttributeValue {
  /// A decimal number.
  public static var _attributeType: AttributeType { .decimal }
  /// The number; 0 when the slot is null.
  public static func _load(_ row: UnsafeRawPointer, _ slot: Int) -> Decimal {
    let text = String._load(row, slot)
    return Decimal(string: text, locale: posix) ?? (text == "NaN" ? .nan : 0)
  }
  /// The number's text, with a point.
  public func _withSlotValue<Result>(_ body: (SlotValue) -> Result) -> Result {
    NSDecimalNumber(decimal: self).description(withLocale: Self.posix)._withSlotValue(body)
  }
  /// The number.
  public var _propertyValue: PropertyValue { .decimal(self) }

  private static let posix = Locale(identifier: "en_US_POSIX")
}
