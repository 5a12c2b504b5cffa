// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// How private rows become pages of a save: a slab full of them as it is, other rows as copies.
// Safe because a lent row is written here only, before the store sees it and after it has refused.

/// The private rows that a save plan shows to the store where they lie.
struct RowLoans {
  /// A slab, and the places of its rows in the plan's adoptions.
  struct Loan {
    let slab: RowSlab
    let adoptions: Range<Int>
  }

  var loans: [Loan] = []
  /// References to nothing that is saved, which became null.
  var nulled: [(row: UnsafeMutableRawPointer, slot: Int, word: UInt64)] = []
}

extension ManagedObjectContext {
  /// Gives private rows their final keys, and puts them into pages.
  func pack(
    _ objects: HeldObjects,
    _ layout: EntityLayout,
    _ plan: inout SavePlan,
    header: (ManagedObject) -> (key: Int64, version: UInt32)
  ) -> [RowPage] {
    var packer = RowPacker(layout, plan)
    plan = SavePlan()
    packer.plan.adoptions.reserveCapacity(packer.plan.adoptions.count + objects.count)
    let first = packer.plan.pages.count
    var start = 0
    while start < objects.count {
      let (end, slab) = run(in: objects, from: start)
      if let slab {
        packer.lend(objects, start..<end, slab, self, header)
      } else {
        objects.visit(start..<end) { packer.copy($0, self, header) }
      }
      start = end
    }
    packer.endCopies()
    plan = packer.plan
    return Array(plan.pages[first...])
  }

  /// The objects whose rows lie in one slab, and the slab if it is full enough to become a page.
  ///
  /// A child lends nothing: what it saves is only a change of its parent.
  private func run(in objects: HeldObjects, from start: Int) -> (end: Int, slab: RowSlab?) {
    guard parent == nil, let slab = objects.edit(start)?.pointee.rowSlab?.toOpaque() else {
      return (start + 1, nil)
    }
    var byteCount = 0
    var end = start
    while end < objects.count, let edit = objects.edit(end),
      edit.pointee.rowSlab?.toOpaque() == slab
    {
      byteCount += edit.pointee.used - edit.pointee.garbage
      end += 1
    }
    let isFull = byteCount * 4 >= RowSlab.byteCount * 3
    return (end, isFull ? objects.edit(start)?.pointee.rowSlab?.takeUnretainedValue() : nil)
  }

  /// Makes lent rows private again after a save that has failed.
  func giveBack(_ plan: SavePlan) {
    guard !plan.loans.loans.isEmpty else { return }
    let temporaryKeys = reservedKeys()
    for loan in plan.loans.loans {
      for adoption in plan.adoptions[loan.adoptions] {
        unpatch(adoption.object, temporaryKeys)
      }
      loan.slab.takeBack()
    }
    for reference in plan.loans.nulled {
      PackedRow.setWord(reference.row, reference.slot, reference.word)
      PackedRow.setNull(reference.row, reference.slot, false)
    }
  }

  /// The temporary keys of new objects by root entity and reserved key.
  private func reservedKeys() -> [Int: [Int64: Int64]] {
    var keys: [Int: [Int64: Int64]] = [:]
    for index in homeIndexes {
      for case let object? in homes[index].changed where object._reservedKey != 0 {
        keys[homes[index].layout.root, default: [:]][object._reservedKey] = object._key
      }
    }
    return keys
  }

  private func unpatch(_ object: ManagedObject, _ temporaryKeys: [Int: [Int64: Int64]]) {
    let (row, layout) = (object._loadedRow(), layout(of: object))
    let target = UnsafeMutableRawPointer(mutating: row)
    let version = object._edit?.pointee.committedRow.map(PackedRow.version) ?? 0
    PackedRow.setHeader(target, key: object._key, version: version, entity: layout.index)
    for slot in layout.referenceSlots {
      let reference = PackedRow.reference(row, slot)
      let root = homes[reference.entity].layout.root
      guard reference.key > 0, let key = temporaryKeys[root]?[reference.key] else { continue }
      let old = ObjectReference(key: key, entity: reference.entity)
      PackedRow.setWord(target, slot, UInt64(bitPattern: old.word))
    }
  }

  /// A conflict that holds no row of a lent page.
  func detached(_ conflict: SaveConflict) -> SaveConflict {
    switch conflict {
    case .version(let root, let key, let stored):
      .version(root: root, key: key, stored: stored.map(detached))
    case .constraint(let entity, let constraint, let newcomer, let stored):
      .constraint(
        entity: entity,
        constraint: constraint,
        newcomer: newcomer,
        stored: detached(stored)
      )
    }
  }

  private func detached(_ row: PageRow) -> PageRow {
    guard row.page.isLent else { return row }
    var builder = PageBuilder(byteCount: 1024)
    let byteCount = PackedRow.byteCount(row.pointer, homes[row.entity].layout)
    builder.copy(row.pointer, byteCount: byteCount)
    return PageRow(page: builder.seal(), index: 0)
  }
}

/// Appends rows to a save plan, as pages.
private struct RowPacker: ~Copyable {
  var plan: SavePlan
  private let layout: EntityLayout
  private let references: [Int]
  private var builder = PageBuilder()
  private var copies = 0

  init(_ layout: EntityLayout, _ plan: SavePlan) {
    self.plan = plan
    self.layout = layout
    references = layout.referenceSlots
  }

  /// Copies a private row, without garbage.
  mutating func copy(
    _ object: ManagedObject,
    _ context: ManagedObjectContext,
    _ header: (ManagedObject) -> (key: Int64, version: UInt32)
  ) {
    if builder.isFull { endCopies() }
    let source = object._loadedRow()
    let (key, version) = header(object)
    if let edit = object._edit, edit.pointee.garbage == 0 {
      builder.copy(source, byteCount: edit.pointee.used)
      PackedRow.setHeader(builder.row, key: key, version: version, entity: layout.index)
    } else {
      builder.append(source, of: layout, key: key, version: version)
    }
    for slot in references { _ = Self.resolve(slot, of: builder.row, context) }
    plan.adoptions.append(.init(object: object, key: key, page: plan.pages.count, row: copies))
    copies += 1
  }

  /// Ends the page of copied rows.
  mutating func endCopies() {
    guard builder.hasRows else { return }
    plan.pages.append(builder.seal())
    copies = 0
  }

  /// Makes a page of the slab in which private rows lie.
  mutating func lend(
    _ objects: HeldObjects,
    _ places: Range<Int>,
    _ slab: RowSlab,
    _ context: ManagedObjectContext,
    _ header: (ManagedObject) -> (key: Int64, version: UInt32)
  ) {
    endCopies()
    let first = plan.adoptions.count
    let base = UnsafeRawPointer(slab.base)
    var offsets: ContiguousArray<UInt32> = []
    offsets.reserveCapacity(places.count)
    objects.visit(places) { object in
      let source = object._loadedRow()
      let (key, version) = header(object)
      let row = UnsafeMutableRawPointer(mutating: source)
      PackedRow.setHeader(row, key: key, version: version, entity: layout.index)
      for slot in references {
        guard let word = Self.resolve(slot, of: row, context) else { continue }
        plan.loans.nulled.append((row, slot, word))
      }
      plan.adoptions.append(
        .init(object: object, key: key, page: plan.pages.count, row: offsets.count)
      )
      offsets.append(UInt32(truncatingIfNeeded: source - base))
    }
    plan.pages.append(slab.lend(offsets))
    plan.loans.loans.append(.init(slab: slab, adoptions: first..<plan.adoptions.count))
  }

  /// Replaces a temporary key by a reserved one; a reference to nothing that is saved becomes null.
  ///
  /// - Returns: What became null.
  @inline(__always)
  private static func resolve(
    _ slot: Int,
    of row: UnsafeMutableRawPointer,
    _ context: ManagedObjectContext
  ) -> UInt64? {
    let reference = PackedRow.reference(row, slot)
    guard reference.key < 0 else { return nil }
    if let key = context.storedKey(reference) {
      let final = ObjectReference(key: key, entity: reference.entity)
      PackedRow.setWord(row, slot, UInt64(bitPattern: final.word))
      return nil
    }
    PackedRow.setWord(row, slot, 0)
    PackedRow.setNull(row, slot, true)
    return UInt64(bitPattern: reference.word)
  }
}
