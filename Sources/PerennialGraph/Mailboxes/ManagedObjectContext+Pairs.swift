// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Pending changes of relationships, after others have saved.

extension ManagedObjectContext {
  /// Forgets the pending changes of pairs that the store has made already: they would count twice;
  /// and those that have gone and come back here, if they are no longer stored.
  ///
  /// The store is asked, since a save that comes in late may have been followed by others.
  ///
  /// - Parameters:
  ///   - number: The number of the link.
  ///   - pairs: The pairs to look at; `nil` for all.
  func settlePairs(of number: Int, among pairs: Set<ChangeSet.LinkChange.Pair>? = nil) {
    guard let pending = relationships.links[number]?.pairs, !pending.isEmpty else { return }
    let link = store.model.links[number]
    let owners = store.model.entities[link.first.entity]
    guard let index = owners.toManysByName[link.first.name] else { return }
    for (pair, isNew) in pending where pair.first > 0 && pair.second > 0 || parent != nil {
      if let pairs, !pairs.contains(pair), !(link.isSymmetric && pairs.contains(pair.reversed)) {
        continue
      }
      let query = StoreQuery(
        entity: link.second.entity,
        scope: .relatedMember(owners.toManys[index], owner: pair.first, member: pair.second)
      )
      let isStored = reading(!isNew) { () throws(PerennialError) in try store.count(query) > 0 }
      if isStored == isNew { relationships.forgetPair(pair.first, pair.second, link: link) }
    }
  }

  /// Forgets the pending changes of pairs that the store has made already, of all links or of those
  /// of some objects.
  func settlePairs(around objects: [ManagedObject]? = nil) {
    for number in relationships.links.keys.sorted() {
      guard let objects else {
        settlePairs(of: number)
        continue
      }
      let keys = Set(objects.map(\._key))
      let pairs = relationships.links[number]?.pairs.lazy.map(\.pair) ?? []
      settlePairs(
        of: number,
        among: Set(pairs.filter { keys.contains($0.first) || keys.contains($0.second) })
      )
    }
  }

  /// Takes pending references to rows that others have deleted back.
  ///
  /// A target with changes of its own is left: its save may bring it back.
  func dropReferences(to deleted: [Int: Set<Int64>]) {
    guard !deleted.isEmpty, hasEdits else { return }
    var answers: [ObjectReference: Bool] = [:]
    for index in homeIndexes where !homes[index].changed.isEmpty {
      for slot in homes[index].layout.referenceSlots {
        guard let relationship = homes[index].layout.slots[slot].relationship,
          let keys = deleted[homes[relationship.destination].layout.root]
        else { continue }
        for object in homes[index].changedObjects {
          let reference = object._currentReference(slot)
          guard let edit = object._edit, EditRecord.isChanged(edit, slot),
            keys.contains(reference.key), isGone(reference, &answers)
          else { continue }
          object._writeReference(slot, nil)
        }
      }
    }
    for number in relationships.links.keys.sorted() {
      dropPairs(of: number, to: deleted, &answers)
    }
  }

  private func dropPairs(
    of number: Int,
    to deleted: [Int: Set<Int64>],
    _ answers: inout [ObjectReference: Bool]
  ) {
    guard let pending = relationships.links[number]?.fromFirst else { return }
    let link = store.model.links[number]
    let owners = deleted[homes[link.first.entity].layout.root] ?? []
    let members = deleted[homes[link.second.entity].layout.root] ?? []
    for (owner, member) in pending.additions {
      let first = ObjectReference(key: owner, entity: link.first.entity)
      guard
        owners.contains(owner) && isGone(first, &answers)
          || members.contains(member.key) && isGone(member, &answers)
      else { continue }
      relationships.forgetPair(owner, member.key, link: link)
    }
  }

  /// Whether the object of a deleted row has not been stored again, and has no changes that its next save may bring
  /// back; where there is no object, the store knows, and is asked once.
  private func isGone(
    _ reference: ObjectReference,
    _ answers: inout [ObjectReference: Bool]
  ) -> Bool {
    let root = homes[reference.entity].root
    guard let object = root.pointee.map.find(reference.key)?.takeUnretainedValue() else {
      if let answer = answers[reference] { return answer }
      let query = StoreQuery(entity: reference.entity, scope: .keys([reference.key]))
      let answer = reading(false) { () throws(PerennialError) in try store.count(query) == 0 }
      answers[reference] = answer
      return answer
    }
    return object.has(.isGone) && object._state != .updated
  }

  /// A newer row of an object with the transient values that are the object's own, and in no store; of a changed object,
  /// the saved ones.
  ///
  /// Safe because the object holds the row that they are copied from.
  func row(_ row: PageRow, withTransientsOf object: ManagedObject) -> PageRow {
    let slots = homes[row.entity].layout.transientSlots
    guard !slots.isEmpty, let current = object._edit?.pointee.committedRow ?? object._row else {
      return row
    }
    return self.row(row, withSlots: slots, of: current)
  }

  /// A row with some slots of another one.
  ///
  /// Safe because both rows are copied while the caller holds what keeps them.
  private func row(
    _ row: PageRow,
    withSlots slots: [Int],
    of current: UnsafeRawPointer
  ) -> PageRow {
    let layout = homes[row.entity].layout
    var builder = PageBuilder(byteCount: 1024)
    builder.begin(
      key: row.key,
      version: row.version,
      entity: layout.index,
      slotCount: layout.slots.count
    )
    for slot in layout.slots.indices {
      let source = slots.contains(slot) ? current : row.pointer
      switch PackedRow.slotValue(source, slot, of: layout) {
      case .null: break
      case .word(let word): builder.put(slot, word: word)
      case .bytes(let bytes): builder.put(slot, bytes: bytes)
      }
    }
    builder.end()
    return PageRow(page: builder.seal(), index: 0)
  }
}

extension ChangeSet.LinkChange.Pair {
  /// The same pair, seen from the other side.
  fileprivate var reversed: Self { Self(first: second, second: first) }
}
