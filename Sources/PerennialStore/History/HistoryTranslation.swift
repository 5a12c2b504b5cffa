// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel

/// How the history of one entity's objects is told in the names of a new model.
package struct HistoryTranslation: Sendable {
  private let mapping: ModelMapping
  private let entity: EntityMapping
  private let old: EntityLayout
  private let new: EntityLayout
  /// The new names of the old properties that are not removed, and of the elements of composite attributes.
  package let names: [String: String]
  /// The old slots whose values are carried over, and what they become.
  private let slots: [String: Int]
  private let toManys: [String: Int]

  package init(_ entity: EntityMapping, _ mapping: ModelMapping) {
    self.mapping = mapping
    self.entity = entity
    let old = mapping.source.entities[entity.source]
    let new = mapping.destination.entities[entity.destination]
    (self.old, self.new) = (old, new)
    var names: [String: String] = [:]
    for name in new.slots.map(\.name) + new.toManys.map(\.name) {
      if let source = entity.sourceName(of: name) { names[source] = name }
    }
    self.names = names
    slots = Dictionary(
      entity.slots.enumerated().compactMap { place, slot in slot.map { (old.slots[$0].name, place) }
      }
    ) { first, _ in first }
    toManys = Dictionary(
      entity.toManys.enumerated().compactMap { place, relationship in
        relationship.map { ($0.name, place) }
      }
    ) { first, _ in first }
  }

  /// Whether everything is told as before: not if there are other objects, whose entities may have other names.
  package var isIdentity: Bool {
    old.slots.count == new.slots.count && old.toManys.isEmpty && new.toManys.isEmpty
      && zip(old.slots, new.slots).allSatisfy { before, after in
        before.name == after.name && names[before.name] == after.name
          && before.attributeType != nil && before.attributeType == after.attributeType
          && before.isOptional == after.isOptional
      }
  }

  /// Values of an object, by the new names of its attributes and to-one relationships, as a migration converts
  /// them; those that it does not carry over are left out.
  package func values(_ values: [String: PropertyValue]) -> [String: PropertyValue] {
    var translated: [String: PropertyValue] = [:]
    for (name, value) in values {
      guard let place = slots[name], let value = converted(value, for: new.slots[place]) else {
        continue
      }
      translated[new.slots[place].name] = value
    }
    return translated
  }

  /// What a deletion has preserved, as far as the new model preserves it.
  package func tombstone(_ values: [String: PropertyValue]) -> [String: PropertyValue] {
    self.values(values).filter { name, _ in
      let attribute = new.slotsByName[name].flatMap { new.slots[$0].attribute }
      return attribute?.preservesValueInHistoryOnDeletion == true
    }
  }

  /// What is kept so that a change can be undone.
  ///
  /// - Parameters:
  ///   - details: What was kept.
  ///   - type: What happened to the object; of one that is gone, all values are there afterwards.
  /// - Returns: What is kept now.
  package func details(
    _ details: HistoryDetails,
    of type: PersistentHistoryChangeType
  ) -> HistoryDetails {
    var translated = HistoryDetails()
    translated.values = values(details.values)
    if type == .delete, !details.values.isEmpty {
      for slot in new.slots where !slot.isTransient && translated.values[slot.name] == nil {
        translated.values[slot.name] = slot.attribute?.defaultValue ?? .null
      }
    }
    translated.added = members(details.added) { $0.isToMany }
    translated.removed = members(details.removed) { $0.isToMany }
    translated.orders = details.orders.map { members($0) { $0.isOrdered } }
    translated.places = details.places.map { places in
      Dictionary(
        uniqueKeysWithValues: places.compactMap { name, place in
          slots[name].flatMap { new.slots[$0].relationship?.inverse?.isOrdered == true ? $0 : nil }
            .map { (new.slots[$0].name, place) }
        }
      )
    }
    return translated
  }

  /// Keys of members by the new names of their relationships.
  private func members(
    _ keys: [String: [Int64]],
    _ isIncluded: (RelationshipLayout) -> Bool
  ) -> [String: [Int64]] {
    var translated: [String: [Int64]] = [:]
    for (name, keys) in keys {
      guard let place = toManys[name], isIncluded(new.toManys[place]) else { continue }
      translated[new.toManys[place].name] = keys
    }
    return translated
  }

  /// A value as one of a new slot; `nil` when it cannot be.
  private func converted(_ value: PropertyValue, for slot: SlotLayout) -> PropertyValue? {
    if case .objectID(let id) = value {
      guard let source = mapping.source.entitiesByName[id.entityName],
        let place = mapping.destinations[source],
        let family = slot.relationship.map({ mapping.destination.entities[$0.destination].family }),
        family.contains(place)
      else { return .null }
      let name = mapping.destination.entities[place].name
      return .objectID(ManagedObjectID(entityName: name, owner: id.owner, key: id.key))
    }
    guard let type = slot.attributeType else { return value.isNull ? value : nil }
    if value.isNull { return slot.isOptional ? value : slot.attribute?.defaultValue ?? value }
    return switch (value, type) {
    case (.integer(let number), .double), (.integer(let number), .float): .double(Double(number))
    case (.integer(let number), .decimal): .decimal(Decimal(number))
    case (.boolean(let flag), .int16), (.boolean(let flag), .int32), (.boolean(let flag), .int64):
      .integer(flag ? 1 : 0)
    case (.url(let url), .string): .string(url.absoluteString)
    default: type.accepts(value) ? value : nil
    }
  }
}
