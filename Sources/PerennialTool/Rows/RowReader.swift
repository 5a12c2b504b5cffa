// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore

/// Reads the rows of a store, some at a time.
///
/// Of all rows only their keys are in memory, 16 bytes each.
struct RowReader {
  let store: any RowStore
  private let columns: [RowColumns]
  private let ids: ObjectIDMaker

  /// A reader of a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - isIncluded: Whether a property of an entity is read.
  init(
    _ store: any RowStore,
    including isIncluded: (EntityLayout, RowColumns.Column) -> Bool = { _, _ in true }
  ) {
    self.store = store
    ids = ObjectIDMaker(store.model, store.naming)
    columns = store.model.entities.map { entity in
      RowColumns(entity, store.model).filtered { isIncluded(entity, $0) }
    }
  }

  /// How many rows are read at a time.
  static let batchCount = 500
  /// How many members of to-many relationships are read at a time.
  private static let memberLimit = 20_000

  /// Calls a closure with the rows that a query selects, in its order, or else by their keys.
  ///
  /// - Throws: What the store or the closure throws; `CancellationError` when the task was cancelled.
  func read(_ query: StoreQuery, _ body: (StoredRow) throws -> Void) throws {
    let references = try references(query)
    for batch in references.batches(of: Self.batchCount) {
      let rows = try rows(batch.map(\.key), root: store.model.entities[query.entity].root)
      for reference in batch {
        if let row = rows[reference.key] { try body(row) }
      }
    }
  }

  /// Without sorts, a store gives rows in whatever order suits it.
  private func references(_ query: StoreQuery) throws -> [ObjectReference] {
    guard query.sorts.isEmpty else { return try store.fetchReferences(query) }
    var all = query
    all.limit = 0
    let references = try store.fetchReferences(all).sorted { $0.key < $1.key }
    return query.limit > 0 ? Array(references.prefix(query.limit)) : references
  }

  /// The rows of some keys of a family of entities, by key.
  func rows(_ keys: [Int64], root: Int) throws -> [Int64: StoredRow] {
    try Task.checkCancellation()
    var found: [PageRow] = []
    try store.fetchRows(StoreQuery(entity: root, scope: .keys(keys))) { page in
      for index in 0..<page.count { found.append(PageRow(page: page, index: index)) }
    }
    let members = try allMembers(of: found)
    let targets = try targets(of: found)
    var rows: [Int64: StoredRow] = [:]
    for row in found { rows[row.key] = storedRow(row, members, targets) }
    return rows
  }

  // Safe because the pointer is used only while the page that owns the row is alive.
  private func storedRow(
    _ row: PageRow,
    _ members: [MemberKey: [ManagedObjectID]],
    _ targets: [TargetKey: Int]
  ) -> StoredRow {
    let entity = store.model.entities[row.entity]
    func value(_ slot: Int) -> PropertyValue {
      if let odd = Self.oddValue(row.pointer, slot, entity) { return odd }
      if let key = targetKey(row, slot), let target = targets[key] {
        return .objectID(ids.id(target, key.key))
      }
      return PackedRow.value(
        row.pointer,
        slot,
        in: entity,
        named: ids.id
      )
    }
    let values = columns[row.entity].columns.map { column -> (name: String, value: StoredValue) in
      switch column.place {
      case .slot(let slot): (column.name, .value(value(slot)))
      case .composite(let elements):
        (column.name, .composite(elements.map { .init(name: $0.name, value: value($0.slot)) }))
      case .toMany(let relationship):
        (column.name, .objects(members[MemberKey(row.key, relationship)] ?? []))
      }
    }
    return StoredRow(id: ids.id(row.entity, row.key), values: values)
  }

  /// What another program has put in the place of a value, where the library reads a stand-in: text that is no
  /// decimal number, or bytes that are no UUID.
  private static func oddValue(
    _ row: UnsafeRawPointer,
    _ slot: Int,
    _ entity: EntityLayout
  ) -> PropertyValue? {
    let type = entity.slots[slot].attributeType
    guard type == .decimal || type == .uuid, !PackedRow.isNull(row, slot) else { return nil }
    // Safe because the bytes are copied here.
    let bytes = Data(PackedRow.bytes(row, slot))
    if type == .uuid { return bytes.count == 16 ? nil : .data(bytes) }
    let text = String(decoding: bytes, as: UTF8.self)
    let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    return number == nil ? .string(text) : nil
  }

  // MARK: To-one relationships

  /// What a to-one relationship leads to whose object may be of several entities.
  private struct TargetKey: Hashable {
    let root: Int
    let key: Int64
  }

  private func targetKey(_ row: PageRow, _ slot: Int) -> TargetKey? {
    let layout = store.model.entities[row.entity].slots[slot]
    guard let relationship = layout.relationship, !PackedRow.isNull(row.pointer, slot) else {
      return nil
    }
    let destination = store.model.entities[relationship.destination]
    guard destination.family.count > 1 else { return nil }
    return TargetKey(root: destination.root, key: PackedRow.reference(row.pointer, slot).key)
  }

  /// The entities of these objects: another program may have left out the number of one beside its key.
  private func targets(of rows: [PageRow]) throws -> [TargetKey: Int] {
    var keys: [Int: Set<Int64>] = [:]
    for row in rows {
      for column in columns[row.entity].columns {
        guard case .slot(let slot) = column.place, let target = targetKey(row, slot) else {
          continue
        }
        keys[target.root, default: []].insert(target.key)
      }
    }
    var targets: [TargetKey: Int] = [:]
    for (root, keys) in keys {
      let query = StoreQuery(entity: root, scope: .keys(keys.sorted()))
      for found in try store.fetchReferences(query) {
        targets[TargetKey(root: root, key: found.key)] = found.entity
      }
    }
    return targets
  }

  // MARK: To-many relationships

  /// A to-many relationship of a row.
  private struct MemberKey: Hashable {
    let owner: Int64
    let entity: Int
    let name: String

    init(_ owner: Int64, _ relationship: RelationshipLayout) {
      self.owner = owner
      entity = relationship.entity
      name = relationship.name
    }
  }

  private func allMembers(of rows: [PageRow]) throws -> [MemberKey: [ManagedObjectID]] {
    var members: [MemberKey: [ManagedObjectID]] = [:]
    for (entity, rows) in Dictionary(grouping: rows, by: \.entity) {
      for column in columns[entity].columns {
        guard case .toMany(let relationship) = column.place else { continue }
        let owners = rows.map(\.key).sorted()
        for (owner, ids) in try self.members(of: relationship, owners) {
          members[MemberKey(owner, relationship)] = ids
        }
      }
    }
    return members
  }

  private func members(
    of relationship: RelationshipLayout,
    _ owners: [Int64]
  ) throws -> [Int64: [ManagedObjectID]] {
    let counts = try store.countMembers(of: relationship, owners: owners)
    var members: [Int64: [ManagedObjectID]] = [:]
    var batch: [Int64] = []
    var count = 0
    for owner in owners {
      let more = counts[owner] ?? 0
      if more == 0 { continue }
      if more > Self.memberLimit {
        members[owner] = try keys(of: relationship, owner)
        continue
      }
      if count + more > Self.memberLimit {
        try read(relationship, batch, into: &members)
        batch = []
        count = 0
      }
      batch.append(owner)
      count += more
    }
    if !batch.isEmpty { try read(relationship, batch, into: &members) }
    return members
  }

  /// The members of an owner that has many: only their keys are read.
  private func keys(
    of relationship: RelationshipLayout,
    _ owner: Int64
  ) throws -> [ManagedObjectID] {
    let query = StoreQuery(
      entity: relationship.destination,
      scope: .related(relationship, owner: owner)
    )
    return inOrder(
      relationship,
      try store.fetchReferences(query).map(ids.id)
    )
  }

  // Safe because a row's pointer is used only while its page is lent.
  private func read(
    _ relationship: RelationshipLayout,
    _ owners: [Int64],
    into members: inout [Int64: [ManagedObjectID]]
  ) throws {
    let rows = try store.fetchMembers(of: relationship, owners: owners, limit: 0)
    for run in rows.runs {
      var found: [ManagedObjectID] = []
      rows.visit(run) { page, row in
        let pointer = page.row(row)
        found.append(ids.id(PackedRow.entity(pointer), PackedRow.key(pointer)))
      }
      members[run.owner] = inOrder(relationship, found)
    }
  }

  private func inOrder(
    _ relationship: RelationshipLayout,
    _ ids: [ManagedObjectID]
  ) -> [ManagedObjectID] {
    relationship.isOrdered ? ids : ids.sorted { $0.key < $1.key }
  }
}
