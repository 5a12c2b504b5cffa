// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A Swift type that an attribute can have.
///
/// Perennial's conformances cover the standard types and their optionals. Do not conform types of your own:
/// enums with a raw value and `Codable` types can be attributes without it.
///
/// Safe because the row pointers that the requirements take obey ``PackedRow``.
public protocol AttributeValue: Sendable {
  /// The attribute type that a property of this type gets.
  static var _attributeType: AttributeType { get }
  /// Whether a property of this type may have no value.
  static var _isOptional: Bool { get }
  /// Reads a slot of a packed row; the type's zero when the slot is null.
  static func _load(_ row: UnsafeRawPointer, _ slot: Int) -> Self
  /// Calls a closure with the value as a slot holds it; bytes are valid during the call only.
  func _withSlotValue<Result>(_ body: (SlotValue) -> Result) -> Result
  /// The value as predicates and models exchange it.
  var _propertyValue: PropertyValue { get }
}

/// A value on its way into a slot.
@frozen
public enum SlotValue {
  /// No value.
  case null
  /// The 8 bytes of an integer, a double or a reference.
  case word(UInt64)
  /// The bytes of text or data.
  case bytes(UnsafeRawBufferPointer)
}

extension AttributeValue {
  /// `false`: only optionals may have no value.
  @inlinable
  public static var _isOptional: Bool { false }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  /// The wrapped type's.
  public static var _attributeType: AttributeType { Wrapped._attributeType }
  /// `true`.
  public static var _isOptional: Bool { true }
  /// The wrapped value, or `nil` when the slot is null.
  @inlinable
  @inline(__always)
  public static func _load(_ row: UnsafeRawPointer, _ slot: Int) -> Self {
    PackedRow.isNull(row, slot) ? nil : Wrapped._load(row, slot)
  }
  /// The wrapped value's form, or null.
  @inlinable
  @inline(__always)
  public func _withSlotValue<Result>(_ body: (SlotValue) -> Result) -> Result {
    if let self { self._withSlotValue(body) } else { body(.null) }
  }
  /// The wrapped value's form, or `.null`.
  public var _propertyValue: PropertyValue { self?._propertyValue ?? .null }
}
