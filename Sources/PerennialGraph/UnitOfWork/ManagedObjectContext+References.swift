// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// Adds the required to-one relationships that lead to new objects that are deleted: a save stores
  /// no reference to them, and no delete rule has emptied these.
  ///
  /// - Parameters:
  ///   - deleted: The deleted objects, perhaps among others.
  ///   - problems: Takes what is wrong.
  func checkReferences(to deleted: [ManagedObject], _ problems: inout [PerennialError]) {
    guard deleted.contains(where: { $0._state == .deletedInsertion }) else { return }
    for index in homeIndexes where !homes[index].changed.isEmpty {
      let layout = homes[index].layout
      let slots = layout.requiredSlots.filter { layout.slots[$0].storage == .reference }
      if slots.isEmpty { continue }
      for object in homes[index].changedObjects where !object.isDeleted {
        for slot in slots {
          let reference = object._currentReference(slot)
          if reference.key < 0, known(reference)?._state == .deletedInsertion {
            problems.append(.missingValue(object, layout.slots[slot].name))
          }
        }
      }
    }
  }
}
