// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Which keys become which, in a context whose parent saves or merges.
enum KeyTranslation {
  /// Temporary keys that a save has made permanent.
  case saved(TemporaryKeys, ModelLayout)
  /// The key of an object that was merged into another.
  case merged(ObjectReference, into: ObjectReference, ModelLayout)

  /// What a reference becomes; `nil` when it stays.
  func reference(_ old: ObjectReference) -> ObjectReference? {
    switch self {
    case .saved(let keys, let model):
      guard old.key < 0,
        let key = keys.key(root: model.entities[old.entity].root, temporary: old.key)
      else { return nil }
      return ObjectReference(key: key, entity: old.entity)
    case .merged(let loser, let survivor, let model):
      guard old.key == loser.key,
        model.entities[old.entity].root == model.entities[loser.entity].root
      else { return nil }
      return survivor
    }
  }

  /// The key that an object of a reference has from now on.
  func ownKey(of object: ObjectReference) -> Int64 { reference(object)?.key ?? object.key }

  /// What the key of an object of an entity, or of a subentity, becomes.
  func key(_ key: Int64, _ entity: Int) -> Int64 {
    reference(ObjectReference(key: key, entity: entity))?.key ?? key
  }
}

// Safe because a row is used only while the object or page that owns it is alive.
extension KeyTranslation {
  /// Whether a row has a reference that becomes another.
  func changesReferences(of row: UnsafeRawPointer, _ layout: EntityLayout) -> Bool {
    layout.referenceSlots.contains { reference(PackedRow.reference(row, $0)) != nil }
  }

  /// Gives a row that nobody else reads its new key and references.
  func apply(to row: UnsafeMutableRawPointer, _ layout: EntityLayout, key: Int64) {
    let version = PackedRow.version(row)
    PackedRow.setHeader(row, key: key, version: version, entity: layout.index)
    for slot in layout.referenceSlots {
      guard let next = reference(PackedRow.reference(row, slot)) else { continue }
      PackedRow.setWord(row, slot, UInt64(bitPattern: next.word))
    }
  }

  /// A page of one row, with its new key and references.
  func copy(of row: UnsafeRawPointer, _ layout: EntityLayout, key: Int64) -> RowPage {
    let byteCount = PackedRow.byteCount(row, layout)
    var builder = PageBuilder(byteCount: byteCount + 8)
    builder.copy(row, byteCount: byteCount)
    apply(to: builder.row, layout, key: key)
    return builder.seal()
  }
}

extension RelationshipChanges {
  /// Replaces keys, and forgets what was loaded.
  mutating func translateKeys(_ translation: KeyTranslation, _ model: ModelLayout) {
    loaded = [:]
    derived = [:]
    edited = [:]
    slots = indexes(slots, translation, model)
    formerSlots = indexes(formerSlots, translation, model)
    for (number, link) in links {
      let (first, second) = (model.links[number].first.entity, model.links[number].second.entity)
      links[number] = Link(
        fromFirst: link.fromFirst.translatingKeys(
          owner: { translation.key($0, first) },
          member: { translation.key($0, second) }
        ),
        fromSecond: link.fromSecond.translatingKeys(
          owner: { translation.key($0, second) },
          member: { translation.key($0, first) }
        )
      )
    }
    translateOrders(translation, model)
  }

  /// Indexes by slots, with other keys.
  private func indexes(
    _ indexes: [SlotKey: MembershipDelta],
    _ translation: KeyTranslation,
    _ model: ModelLayout
  ) -> [SlotKey: MembershipDelta] {
    var next = indexes
    for (key, delta) in indexes {
      let relationship = model.entities[key.entity].slots[key.slot].relationship
      next[key] = delta.translatingKeys(
        owner: { translation.key($0, relationship?.destination ?? key.entity) },
        member: { translation.key($0, key.entity) }
      )
    }
    return next
  }

  /// Of two owners that become one, the order of that which keeps its key comes first, also when that is the stored one;
  /// an owner that was merged stands for the survivor.
  private mutating func translateOrders(_ translation: KeyTranslation, _ model: ModelLayout) {
    let old = (orders: orders, owners: orderedOwners)
    orders = [:]
    orderedOwners = [:]
    for keepsKey in [true, false] {
      for (key, members) in old.orders {
        let next = self.key(key, translation)
        guard (next == key) == keepsKey else { continue }
        let destination = model.entities[key.entity].toManys[key.toMany].destination
        let translated = members.translatingKeys { translation.key($0, destination) }
        if next != key, orders[next] == nil, case .merged = translation {
          sortAdded(model.entities[key.entity].toManys[key.toMany], of: next.owner) {
            translated.place(of: $0.key) ?? -1
          }
        } else {
          orders[next, default: OrderedReferences()].append(contentsOf: translated)
        }
      }
    }
    for (key, owner) in old.owners {
      orderedOwners[self.key(key, translation)] = owner._survivor ?? owner
    }
  }

  private func key(_ key: OwnerKey, _ translation: KeyTranslation) -> OwnerKey {
    OwnerKey(
      entity: key.entity,
      toMany: key.toMany,
      owner: translation.key(key.owner, key.entity)
    )
  }
}
