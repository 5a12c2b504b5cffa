// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// What a context keeps for one entity, at a fixed address: one load from an object gives its
/// context, its entity and its identity map.
///
/// Invariants:
/// 1. `changed` holds, strongly, every object of the entity with an edit record, at the place that
///    the record names; a place of an object that has none any more is `nil`.
/// 2. `map` and `nextTemporaryKey` are used in the root entity's home only, the latter in that of the
///    top context, so that a temporary key names one object in a context and all its children.
///
/// Safe because a home lives exactly as long as its context, which clears the objects' pointers to
/// it at its end.
struct EntityHome {
  /// What may be known of a to-one relationship without counting references to it.
  struct Target {
    /// The places of the destination and its subentities.
    let family: Range<Int>
    /// Whether the inverse is a to-one relationship, too.
    let hasPartner: Bool
  }

  unowned(unsafe) let context: ManagedObjectContext
  unowned(unsafe) let layout: EntityLayout
  /// The context's, so that a setter counts without retaining the context.
  let counts: UnsafeMutablePointer<ChangeCounts>
  let type: ManagedObject.Type
  /// The root entity's home; set right after all homes exist.
  var root: UnsafeMutablePointer<EntityHome>
  /// The root entity's home in the top context of the family, which gives out temporary keys.
  let keySource: UnsafeMutablePointer<EntityHome>
  /// The places of the entity, and of it and its subentities.
  let index: Int
  let family: Range<Int>
  /// The to-one relationships by slot.
  ///
  /// Safe because the model of the context's store holds them.
  private let relationships: ContiguousArray<Unmanaged<RelationshipLayout>?>
  private let targets: ContiguousArray<Target?>
  /// Those of these slots that are below 64.
  private let referencesLow: UInt64
  /// What most rows pass without being looked at closely.
  let rowCheck: RowCheck
  /// Whether the class checks every property by itself.
  let validatesEachValue: Bool
  /// The row of a new object: every default, the rest null.
  let template: RowPage
  /// Where that row lies, for who makes many objects.
  let templateRow: (start: UnsafeRawPointer, byteCount: Int)
  let recordSize: EditRecord.Size
  /// The row of an object whose own is gone: null, but for the defaults of required attributes, so
  /// that types without an empty value can be read.
  let blank: RowPage
  /// Whether a new object has values under every property of a uniqueness constraint.
  let hasConstrainedDefaults: Bool
  /// The slots of uniqueness constraints.
  private let constrained: Set<Int>
  private let constrainedLow: UInt64
  /// Where the stamps of an edit record begin; 0 for an entity without constraints.
  let stampOffset: Int
  /// The slots below 64 whose writes somebody wants to know of, and whether there are further ones.
  private let watchedLow: UInt64
  private let watchesHigh: Bool
  /// The entity's derived attributes, if it has any.
  let derivations: EntityDerivations?
  /// Whether all writes are to be told: as long as hooks are running, or `ReferenceHolders` has tables.
  var watchesAll = false

  var map = IdentityMap()
  var nextTemporaryKey: Int64 = -1
  var changed: ContiguousArray<ManagedObject?> = []
  /// Objects that became changed, or whose constrained values changed, since the constraints were last looked at.
  var keyChanges: ContiguousArray<ManagedObject> = []
  var newcomers = Newcomers()
  /// What a change compares an edit record's stamp with: 0 while nobody wants to know of changes.
  var writeStamp: UInt32 = 0
  /// The flags of new objects.
  var flags: Int64 = 0
  /// Whether a changed object may come from, or go to, an owner that is stored.
  ///
  /// Many new objects of new owners need not be looked at one by one then.
  var movesStored = false
  /// Whether an object of the entity has come to stand for another.
  var forwards = false
  /// Whether the context holds every object.
  var retainsObjects = false
  /// The size of the row of the last inserted object, a good guess for the next.
  var expectedByteCount: Int
  /// Where the next edit record and its row are cut from.
  var slab: EditSlabs?

  init(
    context: ManagedObjectContext,
    layout: EntityLayout,
    type: ManagedObject.Type,
    root: UnsafeMutablePointer<EntityHome>,
    keySource: UnsafeMutablePointer<EntityHome>,
    counts: UnsafeMutablePointer<ChangeCounts>
  ) {
    self.context = context
    self.counts = counts
    self.layout = layout
    index = layout.index
    family = layout.family
    relationships = ContiguousArray(
      layout.slots.map { $0.relationship.map(Unmanaged.passUnretained) }
    )
    let entities = context.coordinator.store.model.entities
    targets = ContiguousArray(
      layout.slots.map { slot in
        slot.relationship.map {
          Target(family: entities[$0.destination].family, hasPartner: $0.inverseSlot != nil)
        }
      }
    )
    referencesLow = layout.referenceSlots.reduce(0) { $1 < 64 ? $0 | 1 << UInt64($1) : $0 }
    rowCheck = RowCheck(
      layout,
      hasRules: !context.coordinator.rules.entities[layout.index].isEmpty
        || type.validatesEachValue
    )
    self.type = type
    validatesEachValue = type.validatesEachValue
    self.root = root
    self.keySource = keySource
    template = RowTemplate.make(layout) { _ in true }
    blank = RowTemplate.make(layout) { !$0.isOptional }
    let defaults = template.row(0)
    templateRow = (defaults, template.byteCount)
    recordSize = EditRecord.Size(layout)
    hasConstrainedDefaults = layout.constraints.contains { slots in
      slots.allSatisfy { !PackedRow.isNull(defaults, $0) }
    }
    expectedByteCount = template.byteCount + 128
    constrained = Set(layout.constraints.joined())
    stampOffset = EditRecord.stampOffset(layout) ?? 0
    constrainedLow = constrained.reduce(0) { $1 < 64 ? $0 | 1 << UInt64($1) : $0 }
    derivations = context.coordinator.rules.derivations[layout.index]
    ElementSlots.note(layout, of: type)
    DefaultRows.note(template, layout, of: type)
    let watched = constrained.union(derivations?.watchedSlots ?? [])
    watchedLow = watched.reduce(0) { $1 < 64 ? $0 | 1 << UInt64($1) : $0 }
    watchesHigh = watched.contains { $0 >= 64 }
  }

  /// Whether the entity has uniqueness constraints, inherited ones included.
  var hasConstraints: Bool { !constrained.isEmpty }

  /// The to-one relationship of a slot.
  @inline(__always)
  func relationship(_ slot: Int) -> Unmanaged<RelationshipLayout>? { relationships[slot] }

  /// What an object may refer to with a slot of a to-one relationship.
  @inline(__always)
  func target(_ slot: Int) -> Target? { targets[slot] }

  @inline(__always)
  func isReference(_ slot: Int) -> Bool {
    slot < 64 ? referencesLow >> UInt64(slot) & 1 != 0 : relationships[slot] != nil
  }

  @inline(__always)
  func isConstrained(_ slot: Int) -> Bool {
    slot < 64 ? constrainedLow >> UInt64(slot) & 1 != 0 : constrained.contains(slot)
  }

  /// Whether a write of a slot leads to `ManagedObject._noteWrite(_:)`.
  @inline(__always)
  func isWatched(_ slot: Int) -> Bool {
    watchesAll || (slot < 64 ? watchedLow >> UInt64(slot) & 1 != 0 : watchesHigh)
  }

  /// Notes how much room a row took, so that the next new one gets it at once.
  mutating func expectRow(of byteCount: Int) {
    expectedByteCount = max(expectedByteCount, min(byteCount + 32, 4096))
  }

  mutating func noteKeyChange(of object: ManagedObject) { keyChanges.append(object) }

  /// The objects with pending changes, in the order in which they were first changed.
  var changedObjects: [ManagedObject] { changed.compactMap { $0 } }
}

/// What a context counts at every write.
struct ChangeCounts {
  /// The changes of properties.
  var mutations = 0
  /// The assignments to objects that may be merged: of two, the later wins.
  var assignments = 0
}

extension UnsafeMutablePointer<EntityHome> {
  /// The ID of a key; of the pointer, because calling a method of a home would copy it all.
  func objectID(key: Int64) -> ManagedObjectID {
    pointee.context.objectID(pointee.index, key)
  }

  /// Takes an object out of the identity map.
  func forget(key: Int64, of object: ManagedObject) {
    pointee.root.pointee.map.remove(key, object)
    if pointee.forwards || pointee.retainsObjects || object.has(.isObserved) {
      forgetNotes(of: object)
    }
  }

  /// Forgets what the context has noted of an object: of few there is anything.
  @inline(never)
  private func forgetNotes(of object: ManagedObject) {
    if pointee.forwards { pointee.context.forgetForwarding(of: object) }
    if object.has(.isObserved) { pointee.context.notices.observation?.forget(object) }
    if pointee.retainsObjects { pointee.context.retainedObjects?.remove(object) }
  }
}

extension UUID {
  /// The owner of IDs that belong to no store and no context.
  static let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
