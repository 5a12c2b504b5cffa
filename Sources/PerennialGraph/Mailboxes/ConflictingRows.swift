// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Which rows objects with edits do not take when they are read again: their next save finds the conflict.
enum ConflictingRows {
  /// Those in which others have written than a batch request of the context, or of one below it.
  ///
  /// With the slots that the request has written, of the objects that have edits.
  case ofOthers(than: [ObjectReference: Set<Int>])
  /// Those in which contexts above have edits of the same properties, which they have not saved.
  case ofEdits(in: [ManagedObjectContext])
}

extension ManagedObjectContext {
  /// The contexts above this one, up to one of them or itself.
  func contextsAbove(upTo last: ManagedObjectContext) -> [ManagedObjectContext] {
    var contexts: [ManagedObjectContext] = []
    while let next = (contexts.last ?? self).parent, (contexts.last ?? self) !== last {
      contexts.append(next)
    }
    return contexts
  }

  /// Takes away the rows that would hide a conflict: their objects keep what they have until the next save finds it.
  ///
  /// - Parameters:
  ///   - rows: Stored rows and their objects.
  ///   - conflicting: Which ones.
  /// - Returns: Whether there were any.
  func leaveOut(
    _ rows: inout [(PageRow, ManagedObject)],
    _ conflicting: ConflictingRows
  ) -> Bool {
    let count = rows.count
    rows.removeAll { row, object in
      guard wouldHideConflict(row, of: object, conflicting) else { return false }
      if mail.mailbox != nil || family.mergesFromParent {
        mail.putOff.insert(row.key, root: layout(of: object).root)
      }
      return true
    }
    return rows.count < count
  }

  private func wouldHideConflict(
    _ row: PageRow,
    of object: ManagedObject,
    _ conflicting: ConflictingRows
  ) -> Bool {
    guard let edit = object._edit else { return false }
    switch conflicting {
    case .ofEdits(let contexts):
      return object.conflicts(with: row.pointer) { object.isEdited($0, in: contexts) }
    case .ofOthers(let written):
      guard let base = edit.pointee.committedRow.map(PackedRow.version) else { return true }
      let slots = written[object._reference]
      if parent == nil {
        let isNext = slots != nil && row.version == base &+ 1
        return object.has(.isGone) || row.version != base && !isNext
      }
      // A child's save compares the values.
      let contexts = contextsAbove(upTo: top)
      return object.conflicts(with: row.pointer) { slot in
        slots?.contains(slot) != true || object.isEdited(slot, in: contexts)
      }
    }
  }
}

extension ManagedObject {
  /// Whether contexts have an edit of a slot of this object.
  fileprivate final func isEdited(_ slot: Int, in contexts: [ManagedObjectContext]) -> Bool {
    guard let root = _home?.pointee.layout.root else { return false }
    return contexts.contains { context in
      let known = context.homes[root].map.find(_key)?.takeUnretainedValue()
      return known?._edit.map { EditRecord.isChanged($0, slot) } == true
    }
  }
}
