// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// `awakeFromFetch`, called when the store has done its part: inside its callback it may hold locks.
//
// What the hook may do: attributes that it sets on its own object count as fetched. They are in no
// `changedValues()`, make nothing dirty and lock nothing; when the object is saved for another
// change, they are saved with it. Everything else is an ordinary change: to-one
// and to-many relationships, other objects, deletions. But nothing of it is undone:
// it is not the user's.

extension ManagedObjectContext {
  /// Calls `awakeFromFetch` on the objects that got their rows from the store just now, and tells those that got newer
  /// ones.
  ///
  /// - Parameter objects: What a fetch gave, in its order.
  /// - Returns: The objects that the hooks have not deleted, in the same order.
  func awakened(_ objects: [ManagedObject]) -> [ManagedObject] {
    let before = mutationCount
    // Safe because the array holds its objects, which need not be retained once more.
    objects.withUnsafeBufferPointer {
      $0.withMemoryRebound(to: Unmanaged<ManagedObject>.self) {
        for object in $0 { object._withUnsafeGuaranteedRef { awaken($0) } }
      }
    }
    tellRefetched()
    return mutationCount == before ? objects : objects.filter { !$0.isDeleted }
  }

  /// Tells the objects that have got newer rows than those that they had, by a fetch or a read of members.
  @inline(__always)
  func tellRefetched() {
    if !lifecycle.refetched.isEmpty { tellAllRefetched() }
  }

  @inline(never)
  private func tellAllRefetched() {
    let refetched = lifecycle.refetched.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    lifecycle.refetched = []
    for reference in refetched {
      let known = homes[reference.entity].root.pointee.map.find(reference.key)
      guard let object = known?.takeUnretainedValue(), object._row != nil else { continue }
      withoutUndo { object.awake(fromSnapshotEvents: .refresh) }
    }
  }

  /// Calls `awakeFromFetch` on one object that got its row from the store.
  func awaken(_ object: ManagedObject) {
    guard object.has(.awaitsAwakening) else { return }
    object.set(.awaitsAwakening, false)
    let hadEdit = object._edit != nil
    withoutUndo { object.awakeFromFetch() }
    if !hadEdit, object._edit != nil { takeAsFetched(object) }
  }

  /// Makes the values of an object's attributes its committed ones.
  ///
  /// Safe because the page is retained by the record or the object that reads its row.
  func takeAsFetched(_ object: ManagedObject) {
    guard let edit = object._edit, let home = object._home, let row = object._row,
      edit.pointee.committedRow != nil
    else { return }
    let layout = home.pointee.layout
    let attributes = layout.slots.indices.filter { layout.slots[$0].attribute != nil }
    let changed = attributes.filter { EditRecord.isChanged(edit, $0) }
    guard !changed.isEmpty else { return }
    let isUnsaved = changed.contains { !layout.slots[$0].isTransient }
    replaceCommittedRow(of: object, edit, takingFrom: row, attributes, isUnsaved: isUnsaved)
    for slot in attributes { EditRecord.clearChanged(edit, slot) }
    if edit.pointee.state == .updated, EditRecord.changedSlots(edit, layout).isEmpty {
      endEdit(of: object, edit, home)
    }
  }

  /// Gives an object with an edit record a committed row with values of another row.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - edit: Its record, which has a committed row.
  ///   - source: The row to take values from.
  ///   - slots: The slots to take.
  ///   - isUnsaved: Whether the store does not have these values.
  func replaceCommittedRow(
    of object: ManagedObject,
    _ edit: UnsafeMutablePointer<EditRecord>,
    takingFrom source: UnsafeRawPointer,
    _ slots: [Int],
    isUnsaved: Bool
  ) {
    guard let home = object._home, let committed = edit.pointee.committedRow else { return }
    let layout = home.pointee.layout
    var builder = PageBuilder(byteCount: PackedRow.byteCount(source, layout) + 256)
    builder.append(
      committed,
      of: layout,
      key: PackedRow.key(committed),
      version: PackedRow.version(committed),
      taking: slots,
      from: source
    )
    if isUnsaved || PackedRow.hasUnsavedValues(committed) {
      PackedRow.noteUnsavedValues(builder.row)
      lifecycle.unsavedRoots.insert(layout.root)
    }
    let page = builder.seal()
    edit.pointee.committedPage?.release()
    edit.pointee.committedPage = .passRetained(page)
    edit.pointee.committedRow = page.row(0)
  }

  /// Takes an object without changes out of the changed ones.
  private func endEdit(
    of object: ManagedObject,
    _ edit: UnsafeMutablePointer<EditRecord>,
    _ home: UnsafeMutablePointer<EntityHome>
  ) {
    let place = edit.pointee.place
    if place == home.pointee.changed.count - 1 {
      home.pointee.changed.removeLast()
      let entity = home.pointee.index
      if relationships.edited.values.contains(where: { $0.hasSeen(entity, place) }) {
        relationships.edited = [:]
      }
    } else {
      home.pointee.changed[place] = nil
    }
    object._row = edit.pointee.committedRow
    object._page = edit.pointee.committedPage?.takeUnretainedValue()
    object._edit = nil
    EditRecord.free(edit)
  }
}
