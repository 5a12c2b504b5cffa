// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import RowTesting
import Testing

/// A change of a model, and what it makes of a store: for every kind of store.
struct MigrationCase: Sendable, CustomTestStringConvertible {
  /// The row of the specification's list, and what is special about it.
  let name: String
  let old: [EntityDescription]
  let new: [EntityDescription]
  /// What the store has before.
  let before: [StoredObject]
  /// What it has afterwards.
  let after: [StoredObject]

  init(
    _ name: String,
    from old: [EntityDescription],
    to new: [EntityDescription],
    _ before: [StoredObject],
    becomes after: [StoredObject]
  ) {
    self.name = name
    self.old = old
    self.new = new
    self.before = before
    self.after = after
  }

  var testDescription: String { name }

  /// Everything that is inferred.
  static let all =
    attributes + types + elements + names + relationships + orders + links + entities + hierarchies
    + moves + derived + derivedChanges + constraints
}

/// A change of a model that a store cannot follow.
struct RefusedMigration: Sendable, CustomTestStringConvertible {
  let name: String
  let old: [EntityDescription]
  let new: [EntityDescription]
  let before: [StoredObject]
  let code: PerennialError.Code
  /// What the error's message says.
  let words: [String]

  var testDescription: String { name }
}

/// An object as a store has it, written down.
struct StoredObject: Sendable {
  let entity: String
  let key: Int64
  let version: UInt32
  /// Attributes and to-one relationships that have a value.
  let values: [String: StoredValue]
  /// The keys of the members of to-many relationships that have any, in their order.
  let members: [String: [Int64]]

  init(
    _ entity: String,
    _ key: Int64,
    version: UInt32 = 1,
    _ values: [String: StoredValue] = [:],
    _ members: [String: [Int64]] = [:]
  ) {
    self.entity = entity
    self.key = key
    self.version = version
    self.values = values
    self.members = members
  }

  /// One line, the same for equal objects.
  var line: String {
    let values = values.map { "\($0.key)=\($0.value.text)" }
    let members = members.filter { !$0.value.isEmpty }.map { "\($0.key)=\($0.value)" }
    return (["\(entity) \(key) v\(version)"] + (values + members).sorted()).joined(separator: " ")
  }
}

/// A value of an attribute, or another object.
enum StoredValue: Sendable {
  case value(PropertyValue)
  case object(String, Int64)

  /// Text that tells values of any two types apart.
  var text: String {
    switch self {
    case .object(let entity, let key): "\(entity):\(key)"
    case .value(.string(let text)): "'\(text)'"
    case .value(.integer(let number)): "\(number)"
    case .value(.double(let number)): "\(number)d"
    case .value(.boolean(let flag)): "\(flag)"
    case .value(.decimal(let number)): "\(number)m"
    case .value(.date(let date)): "@\(date.timeIntervalSinceReferenceDate)"
    case .value(.data(let data)):
      "\(data.count) bytes of \(data.reduce(0) { ($0 &* 31) &+ Int($1) })"
    case .value(.uuid(let uuid)): uuid.uuidString
    case .value(.url(let url)): "<\(url.absoluteString)>"
    case .value(let other): "\(other)"
    }
  }
}

extension StoredValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  init(stringLiteral value: String) { self = .value(.string(value)) }
  init(integerLiteral value: Int64) { self = .value(.integer(value)) }
  init(floatLiteral value: Double) { self = .value(.double(value)) }
  init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
}

// MARK: - Models in few words

extension EntityDescription {
  /// The entity with the name that it had.
  func renamed(from name: String) -> EntityDescription {
    var entity = self
    entity.renamingIdentifier = name
    return entity
  }
}

extension PropertyDescription {
  /// The property with the name that it had.
  func renamed(from name: String) -> PropertyDescription {
    switch self {
    case .attribute(var attribute):
      attribute.renamingIdentifier = name
      return .attribute(attribute)
    case .relationship(var relationship):
      relationship.renamingIdentifier = name
      return .relationship(relationship)
    }
  }

  /// An attribute that may have no value.
  static func optional(_ name: String, _ type: AttributeType) -> PropertyDescription {
    .attribute(name, type, optional: true)
  }

  /// Data, large values of which may lie in files.
  static func file(_ name: String, isExternal: Bool) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name,
        .binaryData,
        isOptional: true,
        allowsExternalBinaryDataStorage: isExternal
      )
    )
  }

  /// A composite attribute.
  static func composite(_ name: String, _ elements: [AttributeDescription]) -> PropertyDescription {
    .attribute(AttributeDescription(name, .composite, isOptional: true, elements: elements))
  }
}
