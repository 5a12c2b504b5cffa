// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// The attribute types that fit into a slot: integers, floating-point numbers, Bool and Date.
// Safe because a row pointer is used only while the object or page that owns it is alive.

public import Foundation

/// A type whose value is the slot's 8 bytes.
///
/// It exists to write the conformances below once; nobody else conforms.
public protocol _SlotWord: AttributeValue {
  /// The value that a slot's bytes stand for.
  static func _decode(_ word: UInt64) -> Self
  /// The slot's bytes.
  var _word: UInt64 { get }
}

extension _SlotWord {
  /// Decodes the slot.
  @inlinable
  @inline(__always)
  public static func _load(_ row: UnsafeRawPointer, _ slot: Int) -> Self {
    _decode(PackedRow.word(row, slot))
  }
  /// The encoded slot.
  @inlinable
  @inline(__always)
  public func _withSlotValue<Result>(_ body: (SlotValue) -> Result) -> Result { body(.word(_word)) }
}

extension _SlotWord where Self: FixedWidthInteger {
  /// The integer, truncated to the type's width.
  @inlinable
  @inline(__always)
  public static func _decode(_ word: UInt64) -> Self {
    Self(truncatingIfNeeded: Int64(bitPattern: word))
  }
  /// The integer, sign-extended.
  @inlinable
  @inline(__always)
  public var _word: UInt64 { UInt64(bitPattern: Int64(self)) }
  /// The integer.
  public var _propertyValue: PropertyValue { .integer(Int64(self)) }
}

extension Int: _SlotWord {
  /// 64 bits.
  public static var _attributeType: AttributeType { .int64 }
}
extension Int64: _SlotWord {
  /// 64 bits.
  public static var _attributeType: AttributeType { .int64 }
}
extension Int32: _SlotWord {
  /// 32 bits.
  public static var _attributeType: AttributeType { .int32 }
}
extension Int16: _SlotWord {
  /// 16 bits.
  public static var _attributeType: AttributeType { .int16 }
}

extension Bool: _SlotWord {
  /// A truth value.
  public static var _attributeType: AttributeType { .bool }
  /// Anything but 0.
  @inlinable
  @inline(__always)
  public static func _decode(_ word: UInt64) -> Bool { word != 0 }
  /// 0 or 1.
  @inlinable
  @inline(__always)
  public var _word: UInt64 { self ? 1 : 0 }
  /// The truth value.
  public var _propertyValue: PropertyValue { .boolean(self) }
}

extension Double: _SlotWord {
  /// 64 bits.
  public static var _attributeType: AttributeType { .double }
  /// The number of a bit pattern.
  @inlinable
  @inline(__always)
  public static func _decode(_ word: UInt64) -> Double { Double(bitPattern: word) }
  /// The bit pattern.
  @inlinable
  @inline(__always)
  public var _word: UInt64 { bitPattern }
  /// The number.
  public var _propertyValue: PropertyValue { .double(self) }
}

extension Float: _SlotWord {
  /// 32 bits, kept as 64.
  public static var _attributeType: AttributeType { .float }
  /// The number, rounded to 32 bits.
  @inlinable
  @inline(__always)
  public static func _decode(_ word: UInt64) -> Float { Float(Double(bitPattern: word)) }
  /// The number as 64 bits.
  @inlinable
  @inline(__always)
  public var _word: UInt64 { Double(self).bitPattern }
  /// The number.
  public var _propertyValue: PropertyValue { .double(Double(self)) }
}

extension Date: _SlotWord {
  /// Seconds since 2001.
  public static var _attributeType: AttributeType { .date }
  /// The date of an interval since 2001.
  @inlinable
  @inline(__always)
  public static func _decode(_ word: UInt64) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(bitPattern: word))
  }
  /// The interval since 2001.
  @inlinable
  @inline(__always)
  public var _word: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
  /// The date.
  public var _propertyValue: PropertyValue { .date(self) }
}
