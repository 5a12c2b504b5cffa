// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// When a batch request is one statement of the store: nothing but the rows themselves may depend on it.

extension BatchStatement {
  /// The statement of an update, or `nil` when it takes more than one, or has a value that cannot be stored.
  ///
  /// - Parameters:
  ///   - query: Which rows.
  ///   - values: The new values by slot.
  ///   - model: The model.
  ///   - rules: The model's derived attributes.
  init?(
    updating query: StoreQuery,
    _ values: [Int: PropertyValue],
    _ model: ModelLayout,
    _ rules: ModelRules
  ) {
    let entity = model.entities[query.entity]
    guard !rules.hasRelated, !values.isEmpty,
      !Self.touchesDerived(Set(values.keys), entity.family, rules)
    else { return nil }
    // The save of the rows then says what is wrong.
    guard values.values.allSatisfy(\.isKept) else { return nil }
    for slot in values.keys {
      guard let attribute = entity.slots[slot].attribute, !entity.slots[slot].isTransient,
        !attribute.allowsExternalBinaryDataStorage
      else { return nil }
    }
    var builder = PageBuilder()
    builder.begin(key: 0, version: 0, entity: query.entity, slotCount: entity.slots.count)
    for (slot, value) in values {
      guard let type = entity.slots[slot].attribute?.type else { return nil }
      value.withSlotValue(as: type) { value in
        switch value {
        case .null: break
        case .word(let word): builder.put(slot, word: word)
        case .bytes(let bytes): builder.put(slot, bytes: bytes)
        }
      }
    }
    builder.end()
    let row = PageRow(page: builder.seal(), index: 0)
    self.init(query: query, action: .update(slots: values.keys.sorted(), row))
  }

  /// The statement of a deletion, or `nil` when other rows depend on those that go.
  init?(deleting query: StoreQuery, _ model: ModelLayout, _ rules: ModelRules) {
    guard !rules.hasRelated else { return nil }
    let family = model.entities[model.entities[query.entity].root].family
    for index in family {
      let entity = model.entities[index]
      guard entity.toManys.isEmpty, !entity.allowsExternalValues else { return nil }
    }
    // A to-many relationship without inverse may lead here: its pairs go with the rows.
    for link in model.links
    where family.contains(link.first.entity) || family.contains(link.second.entity) { return nil }
    for entity in model.entities {
      for relationship in entity.slots.compactMap(\.relationship) {
        if family.contains(relationship.destination) { return nil }
        let rule = relationship.description.deleteRule
        if rule == .cascade || rule == .deny, family.contains(entity.index) { return nil }
      }
    }
    self.init(query: query, action: .delete)
  }

  /// Whether derived attributes of the entities depend on slots, or on the time of a save.
  private static func touchesDerived(
    _ slots: Set<Int>,
    _ family: Range<Int>,
    _ rules: ModelRules
  ) -> Bool {
    family.contains { index in
      guard let derivations = rules.derivations[index] else { return false }
      return !derivations.timeSlots.isEmpty || !derivations.watchedSlots.isDisjoint(with: slots)
    }
  }
}
