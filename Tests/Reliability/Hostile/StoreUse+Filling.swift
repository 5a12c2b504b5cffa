// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension StoreUse {
  /// Fills a store whose model nobody knows: three objects of each entity, with values and members; whatever is asked of
  /// them has the same answer before and after they are saved.
  mutating func fill(_ container: PersistentContainer) {
    let context = container.newBackgroundContext()
    let model = container.managedObjectModel
    let properties = Self.properties(of: model)
    var objects: [ManagedObject] = []
    for entity in model.entities where !entity.isAbstract {
      for number in 1...3 {
        let object = attempts.value { () throws(PerennialError) in
          try context.insert(entityNamed: entity.name)
        }
        guard let object else { continue }
        objects.append(object)
        for case .attribute(let attribute) in properties[entity.name] ?? [] {
          fill(attribute, of: object, number)
        }
      }
    }
    for object in objects {
      for case .relationship(let relationship) in properties[object.objectID.entityName] ?? [] {
        let members = objects.filter { $0.objectID.entityName == relationship.destinationEntity }
        for member in members.prefix(relationship.isToMany ? 2 : 1) {
          link(member, to: relationship, of: object)
        }
      }
    }
    let unsaved = counts(of: properties, in: context)
    let isSaved = attempts.value { () throws(PerennialError) in
      try context.save()
      return true
    }
    guard isSaved == true else { return }
    // Memory has found those, the store finds these.
    let saved = counts(of: properties, in: container.newBackgroundContext())
    for (condition, count) in saved {
      guard let before = unsaved[condition], before != count else { continue }
      attempts.problem = "\(before) before the save and \(count) after it have \(condition)"
    }
  }

  private mutating func fill(
    _ attribute: AttributeDescription,
    of object: ManagedObject,
    _ number: Int
  ) {
    // The third has what it must have.
    guard attribute.derivationExpression == nil, number < 3 || !attribute.isOptional,
      let value = Self.value(of: attribute, number)
    else { return }
    attempts.attempt { () throws(PerennialError) in
      try object.setValue(value, forKey: attribute.name)
    }
  }

  private mutating func link(
    _ member: ManagedObject,
    to relationship: RelationshipDescription,
    of object: ManagedObject
  ) {
    attempts.attempt { () throws(PerennialError) in
      if relationship.isToMany {
        try object.objects(forKey: relationship.name).insert(member)
      } else {
        try object.setObject(member, forKey: relationship.name)
      }
    }
  }

  /// A value of an attribute; `nil` where a model must say more of it.
  static func value(of attribute: AttributeDescription, _ number: Int) -> (any Sendable)? {
    switch attribute.type {
    case .int16: Int16(number)
    case .int32: Int32(number)
    case .int64: Int64(number)
    case .decimal: Decimal(number) / 4
    case .double: Double(number) / 2
    case .float: Float(number) / 2
    case .string: "text \(number)"
    case .bool: number == 1
    case .date: Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
    case .binaryData: Data(repeating: UInt8(number), count: 40)
    case .uuid: UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)")
    case .url: URL(string: "https://example.org/\(number)")
    case .composite:
      Dictionary(attribute.elements.map { ($0.name, value(of: $0, number)) }) { first, _ in first }
    case .undefined, .transformable, .objectID: nil
    }
  }
}
