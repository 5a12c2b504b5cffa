// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// What a file says about itself, before its objects.
package struct StoreHeader: Sendable {
  /// The store's identifier.
  package var identifier: UUID
  /// The versions of the entities that the store was written with.
  package var hashes: VersionHashes
  /// The model that the store was written with, as its file has it; files of earlier versions have none.
  var schema: ModelText?
  /// The next key of every root entity, by name.
  package var nextKeys: [String: Int64] = [:]
  /// What the application keeps with the store.
  package var metadata: [String: PropertyValue] = [:]

  package init(identifier: UUID, hashes: VersionHashes) {
    self.identifier = identifier
    self.hashes = hashes
  }
}

/// The words of the format.
enum JSONFormat {
  static let name = "Perennial JSON store"
  static let version: Int64 = 1

  static let format = "format"
  static let formatVersion = "formatVersion"
  static let store = "store"
  static let model = "model"
  static let schema = "schema"
  static let nextKeys = "nextKeys"
  static let metadata = "metadata"
  static let entities = "entities"
  static let checksum = "checksum"
  static let key = "_key"
  static let rowVersion = "_version"
  static let file = "file"

  /// What follows the last entity, up to the checksum itself, which covers it.
  static let beforeChecksum = Array("\"checksum\":".utf8)
  /// What follows the checksum.
  static let end = Array("\n}\n".utf8)
  /// The checksum of a file that has been edited by hand.
  static let noChecksum = Array("null".utf8)

  /// The greatest key that a reference has room for.
  static let greatestKey: Int64 = 1 << 47 - 1
  /// The greatest version of a row; contexts have a meaning of their own for what is greater.
  static let greatestVersion = Int64(Int32.max)
  /// The greatest version that an edited file may have: from there, no store gets to the greatest by saving.
  static let greatestEditedVersion: Int64 = 1 << 30
  /// What the next key of an entity may be; behind the greatest, there is none.
  static let possibleNextKeys = 1...greatestKey + 1
}

/// How the values of a property are written.
enum FieldKind {
  case integer(ClosedRange<Int64>)
  case boolean
  case double
  case date
  case decimal
  case text
  case url
  case uuid
  case data
  /// A to-one relationship.
  case reference

  init(_ slot: SlotLayout) {
    guard let type = slot.attributeType else {
      self = .reference
      return
    }
    switch type {
    case .int16: self = .integer(Int64(Int16.min)...Int64(Int16.max))
    case .int32: self = .integer(Int64(Int32.min)...Int64(Int32.max))
    case .int64: self = .integer(.min ... .max)
    case .bool: self = .boolean
    case .double, .float: self = .double
    case .date: self = .date
    case .decimal: self = .decimal
    case .string: self = .text
    case .url: self = .url
    case .uuid: self = .uuid
    case .binaryData, .transformable, .undefined, .objectID, .composite: self = .data
    }
  }
}

/// The to-many relationships that are written: one side of each, and every order.
enum WrittenList {
  /// The to-many relationships of an entity that its lines name.
  static func relationships(of entity: EntityLayout) -> [RelationshipLayout] {
    entity.toManys.filter { $0.isOrdered || $0.side?.isFirst == true }
  }
}
