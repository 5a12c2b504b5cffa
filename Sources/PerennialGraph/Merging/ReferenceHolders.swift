// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The changed objects by what their to-one slots refer to, while conflicts are being resolved.
///
/// A look at all of them answers the first question of a round; from the second on there is a table for each slot
/// that is asked for, and every write is noted: see `EntityHome.watchesAll`. Who resolves conflicts inside of a
/// round forgets the tables at the end, and the round makes new ones.
///
/// Invariants:
/// 1. Each of the changed objects that a table has seen is there under what its slot refers to. It may be there
///    under other references, too: whoever is found is looked at again.
/// 2. The list of changed objects is never shorter than what a table has seen: only the end of `awakeFromFetch`
///    shortens it, by its own object, and whoever asks inside of the hook forgets the tables.
struct ReferenceHolders {
  typealias SlotKey = RelationshipChanges.SlotKey

  private struct Table {
    /// How many places of the list of changed objects are known.
    var seen = 0
    var places: [ObjectReference: [Int]] = [:]

    /// Looks at what has been changed since, and finds who may refer to an object.
    mutating func find(
      _ target: ObjectReference,
      _ slot: Int,
      among changed: ContiguousArray<ManagedObject?>
    ) -> [Int] {
      while seen < changed.count {
        if let reference = changed[seen]?._currentReference(slot), reference.key != 0 {
          places[reference, default: []].append(seen)
        }
        seen += 1
      }
      return places[target] ?? []
    }
  }

  private var tables: [SlotKey: Table] = [:]
  private var questions = 0

  var isEmpty: Bool { tables.isEmpty }
  /// Whether tables cost less than to look at all changed objects.
  var areWorthwhile: Bool { questions > 1 }

  /// Notes that somebody is about to ask who refers to an object.
  mutating func noteQuestion() { questions += 1 }

  /// Notes what a slot of a changed object refers to now.
  mutating func note(_ target: ObjectReference, _ key: SlotKey, place: Int) {
    guard target.key != 0, let seen = tables[key]?.seen, place < seen else { return }
    tables[key]?.places[target, default: []].append(place)
  }

  /// The places of the objects whose slot may refer to another object, ascending.
  ///
  /// - Parameters:
  ///   - target: What it refers to.
  ///   - key: The slot, of the objects' own entity.
  ///   - changed: The entity's list of changed objects.
  /// - Returns: The places.
  mutating func places(
    of target: ObjectReference,
    _ key: SlotKey,
    among changed: ContiguousArray<ManagedObject?>
  ) -> [Int] {
    let found = tables[key, default: Table()].find(target, key.slot, among: changed)
    return found.count > 1 ? Set(found).sorted() : found
  }
}

extension ManagedObjectContext {
  /// The changed objects of an entity whose slot may refer to an object, in the order of their first changes.
  func holders(of target: ObjectReference, _ entity: Int, _ slot: Int) -> [ManagedObject] {
    guard merging.holders.areWorthwhile else { return homes[entity].changedObjects }
    let isFirst = merging.holders.isEmpty
    let changed = homes[entity].changed
    let key = SlotKey(entity: entity, slot: slot)
    let places = merging.holders.places(of: target, key, among: changed)
    if isFirst { updateWatching() }
    return places.compactMap { changed[$0] }
  }

  /// Notes that a slot of a changed object was written.
  func noteHolder(_ object: ManagedObject, _ slot: Int) {
    guard !merging.holders.isEmpty, let home = object._home, let edit = object._edit,
      home.pointee.isReference(slot)
    else { return }
    let key = SlotKey(entity: home.pointee.index, slot: slot)
    merging.holders.note(object._currentReference(slot), key, place: edit.pointee.place)
  }

  /// Forgets who refers to what: a round of conflicts is over.
  func forgetHolders() {
    let wasWatching = !merging.holders.isEmpty
    merging.holders = ReferenceHolders()
    if wasWatching { updateWatching() }
  }
}
