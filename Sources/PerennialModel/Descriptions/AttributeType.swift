// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The type of an attribute's value.
///
/// The raw values are those of Core Data (`NSAttributeType`), so that stores and model files agree, whether
/// Core Data or Perennial wrote them.
public enum AttributeType: Int, Sendable, Hashable, Codable, CaseIterable {
  /// No type: legal only for a transient attribute.
  case undefined = 0
  /// A signed integer of 16 bits.
  case int16 = 100
  /// A signed integer of 32 bits.
  case int32 = 200
  /// A signed integer of 64 bits.
  case int64 = 300
  /// A decimal number of up to 15 significant digits, or a whole number of 64 bits.
  case decimal = 400
  /// A 64-bit floating-point number; NaN cannot be stored.
  case double = 500
  /// A 32-bit floating-point number; NaN cannot be stored.
  case float = 600
  /// Text, compared by its UTF-8 bytes.
  case string = 700
  /// True or false.
  case bool = 800
  /// A point in time, kept as seconds since 2001-01-01T00:00:00Z.
  case date = 900
  /// Bytes.
  case binaryData = 1000
  /// A universally unique identifier.
  case uuid = 1100
  /// A URL, kept as its absolute string.
  case url = 1200
  /// A value that is stored as the output of a transformer: for Swift values, as JSON.
  case transformable = 1800
  /// The ID of an object: legal only for a transient attribute.
  case objectID = 2000
  /// Several attributes under one name, each in a column of its own.
  case composite = 2100

  /// How a packed row holds a value of this type.
  package var storage: SlotStorage {
    switch self {
    case .int16, .int32, .int64, .bool: .integer
    case .double, .float, .date: .double
    case .decimal, .string, .url, .binaryData, .uuid, .transformable, .undefined, .objectID,
      .composite:
      .bytes
    }
  }
}

/// How a slot of a packed row holds its value.
@frozen
public enum SlotStorage: UInt8, Sendable, Hashable {
  /// A signed 64-bit integer, in the slot.
  case integer
  /// A 64-bit floating-point number, in the slot.
  case double
  /// A run of bytes behind the slots; the slot holds its offset and count.
  case bytes
  /// The key and the concrete entity of another object, in the slot.
  case reference
}
