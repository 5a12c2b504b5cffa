// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// The columns that hold one slot of an entity.
package struct SlotColumn: Sendable, Hashable {
  /// The column of the value, or of the key of a to-one relationship: `ZAUTHOR`.
  package let name: String
  package let kind: ColumnKind
  /// The column of the concrete entity's number, when the destination has subentities: `Z3_AUTHOR`.
  package let entityColumn: String?
  /// The column of the place in the owner's ordered relationship: `Z_FOK_AUTHOR`.
  package let orderColumn: String?
}

/// How a column's value and a slot's become each other.
package enum ColumnKind: UInt8, Sendable, Hashable {
  case integer
  case bool
  case double
  case decimal
  case text
  case blob
  /// Bytes behind a mark that says whether they lie here or in a file (FORMAT 2.9).
  case markedBlob
  case reference

  /// The kind of the column of a slot.
  package init(_ slot: SlotLayout, _ decimals: DecimalStorage) {
    guard let attribute = slot.attribute else {
      self = .reference
      return
    }
    self =
      switch attribute.type {
      case .int16, .int32, .int64: .integer
      case .bool: .bool
      case .double, .float, .date: .double
      case .decimal: decimals == .texts ? .text : .decimal
      case .string, .url: .text
      case .binaryData, .transformable, .uuid, .undefined, .objectID, .composite:
        attribute.allowsExternalBinaryDataStorage ? .markedBlob : .blob
      }
  }
}
