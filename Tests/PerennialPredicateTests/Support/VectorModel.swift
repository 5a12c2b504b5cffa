// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// A vector's object as a model: keys are attributes typed by their values, dictionaries to-one
/// relationships, arrays of dictionaries ordered to-many relationships.
///
/// Keys that the predicate names and the object lacks are attributes without a value, or to-one
/// relationships when a key follows them. Keys whose values no attribute can have are left out when
/// the predicate does not name them.
struct VectorModel {
  /// Why an object cannot be stored.
  struct Unstorable: Error { let reason: String }

  /// The name of the relationship back to the object around.
  static let owner = "vectorOwner"

  private let named: PredicateKeys
  private let untyped: AttributeType
  private var entities: [EntityDescription] = []

  /// Makes the model of an object.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - keys: The keys that the predicate names.
  ///   - untyped: The type of attributes without a value.
  /// - Returns: The model; the object's entity is `Root`.
  /// - Throws: ``Unstorable`` when the predicate names a key whose value cannot be stored.
  static func model(
    of object: [String: JSONValue],
    keys: PredicateKeys,
    untyped: AttributeType
  ) throws -> ManagedObjectModel {
    var model = VectorModel(named: keys, untyped: untyped)
    try model.addEntity("Root", of: [object], owner: nil)
    return try ManagedObjectModel(entities: model.entities)
  }

  private init(named: PredicateKeys, untyped: AttributeType) {
    self.named = named
    self.untyped = untyped
  }

  private mutating func addEntity(
    _ name: String,
    of objects: [[String: JSONValue]],
    owner: (entity: String, key: String)?
  ) throws {
    var properties: [PropertyDescription] = []
    if let owner { properties.append(.toOne(Self.owner, owner.entity, inverse: owner.key)) }
    // Each key that is absent but followed by another makes an entity with all of them again.
    let isShallow = name.count { $0 == "_" } < (named.inner.count > 2 ? 2 : 4)
    let known = Set(objects.flatMap(\.keys))
    for key in keys(known, isShallow ? named.all : []) {
      let values = objects.compactMap { $0[key] }.filter { !$0.isNull }
      if let property = try property(key, values, of: name) { properties.append(property) }
    }
    entities.append(EntityDescription(name, properties: properties))
  }

  /// The keys of objects and those that the predicate names; of keys that differ only in case, which
  /// no entity can have, one that is named.
  private func keys(_ known: Set<String>, _ named: Set<String>) -> [String] {
    var spellings: Set<String> = []
    let order = (known.intersection(named).sorted() + named.sorted() + known.sorted())
    return order.filter { spellings.insert($0.lowercased()).inserted }
  }

  private mutating func property(
    _ key: String,
    _ values: [JSONValue],
    of entity: String
  ) throws -> PropertyDescription? {
    let destination = "\(entity)_\(key)"
    let shapes = Set(values.map(\.shape))
    switch shapes {
    case []:
      guard named.inner.contains(key) else { return .attribute(key, untyped, optional: true) }
      fallthrough
    case [.object]:
      try addEntity(destination, of: values.compactMap(\.members), owner: (entity, key))
      return .toOne(key, destination, inverse: Self.owner)
    case [.objects]:
      let members = values.flatMap(\.elements).compactMap(\.members)
      try addEntity(destination, of: members, owner: (entity, key))
      return .toMany(key, destination, inverse: Self.owner, ordered: true)
    case [.attribute(.int64), .attribute(.double)]:
      return .attribute(key, .double, optional: true)
    default:
      if shapes.count == 1, case .attribute(let type)? = shapes.first {
        return .attribute(key, type, optional: true)
      }
      guard named.all.contains(key) else { return nil }
      throw Unstorable(reason: "no attribute has values like those of '\(key)'")
    }
  }
}

extension JSONValue {
  /// What a property with this value is.
  enum Shape: Hashable {
    case attribute(AttributeType)
    case object
    case objects
    case unstorable
  }

  var isNull: Bool { if case .null = self { true } else { false } }

  /// What a property with this value is.
  var shape: Shape {
    switch self {
    case .null: .unstorable
    case .boolean: .attribute(.bool)
    case .integer: .attribute(.int64)
    case .double: .attribute(.double)
    case .string: .attribute(.string)
    case .array(let elements): elements.allSatisfy { $0.members != nil } ? .objects : .unstorable
    case .object:
      switch argument {
      case is Date: .attribute(.date)
      case is UUID: .attribute(.uuid)
      case is Data: .attribute(.binaryData)
      case is [(any Sendable)?]: .unstorable
      default: .object
      }
    }
  }

  /// The members of a dictionary that is no tagged value.
  var members: [String: JSONValue]? {
    if case .object(let members) = self, argument is [String: (any Sendable)?] {
      members
    } else {
      nil
    }
  }

  /// The elements of an array.
  var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }
}
