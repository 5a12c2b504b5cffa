// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
package import PerennialStore

/// Finds every reason why a change set does not fit what is stored.
///
/// It runs after a failed attempt only, so it may take its time. What it compares are packed rows.
package struct ConflictFinder<Rows: StoredRows> {
  private let source: Rows
  private let schema: StoreSchema
  private let changes: ChangeSet
  /// Whether the change set may have been written before.
  private let isRepeated: Bool
  private let decimals: DecimalStorage

  /// What was found.
  package private(set) var conflicts: [SaveConflict] = []
  /// The rows that need not be written any more.
  package private(set) var settled = SettledRows()

  /// A finder for one change set.
  ///
  /// - Parameters:
  ///   - rows: What is stored.
  ///   - schema: The names, and the dialect.
  ///   - changes: The change set.
  ///   - isRepeated: Whether it may have been written before.
  package init(rows: Rows, schema: StoreSchema, changes: ChangeSet, isRepeated: Bool) {
    source = rows
    self.schema = schema
    self.changes = changes
    self.isRepeated = isRepeated
    decimals = schema.dialect.decimals
  }

  /// Looks at all rows of the change set, for which the caller has begun a snapshot.
  ///
  /// - Throws: What could not be read.
  package mutating func run() throws(Rows.Failure) {
    for update in changes.updates {
      try checkImages(update.pages, of: update.entity, isNew: false)
    }
    for insertion in changes.insertions {
      try checkImages(insertion.pages, of: insertion.entity, isNew: true)
    }
    for deletion in changes.deletions { try check(deletion) }
    for root in schema.model.entities where root.root == root.index {
      for constraint in TableConstraint.all(of: root, in: schema.model) {
        try check(constraint, root: root.index)
      }
    }
  }
}

// MARK: - Versions

extension ConflictFinder {
  /// Compares images with the stored rows of their keys.
  private mutating func checkImages(
    _ pages: [RowPage],
    of entity: Int,
    isNew: Bool
  ) throws(Rows.Failure) {
    let layout = schema.model.entities[entity]
    for page in pages {
      let keys = (0..<page.count).map { PackedRow.key(page.row($0)) }
      let stored = try rows(keys, root: layout.root)
      for index in 0..<page.count {
        let image = page.row(index)
        let row = stored[PackedRow.key(image)]
        if row == nil, isNew { continue }
        if let row, !isNew, row.version == PackedRow.version(image) &- 1 { continue }
        if let row, isNew || isRepeated, isSettled(row, image, of: layout) {
          settled.insert(root: layout.root, key: row.key)
        } else {
          conflicts.append(
            .version(root: layout.root, key: PackedRow.key(image), stored: row)
          )
        }
      }
    }
  }

  /// Whether a row is all that an image says, because an earlier save that seemed to fail wrote it.
  ///
  /// Slots that were not to be written count too: else somebody else wrote the same values, and the
  /// image, which becomes the writer's committed row, is stale in the others. Derived ones do not: each
  /// save computes them, and the time of one is not that of another.
  ///
  /// Safe because the change set holds the page of the image, which is read at once.
  private func isSettled(
    _ row: PageRow,
    _ image: UnsafeRawPointer,
    of entity: EntityLayout
  ) -> Bool {
    row.version == PackedRow.version(image) && row.entity == entity.index
      && entity.slots.indices.allSatisfy { slot in
        entity.slots[slot].isTransient
          || entity.slots[slot].attribute?.derivationExpression != nil
          || SlotKey(row.pointer, slot, entity, decimals) == SlotKey(image, slot, entity, decimals)
      }
  }

  private mutating func check(_ deletion: ChangeSet.Deletion) throws(Rows.Failure) {
    let root = schema.model.entities[deletion.entity].root
    let stored = try rows(deletion.rows.map(\.key), root: root)
    for expected in deletion.rows {
      guard let row = stored[expected.key], row.version != expected.version else { continue }
      conflicts.append(.version(root: root, key: expected.key, stored: row))
    }
  }

  /// The stored rows of keys.
  private func rows(_ keys: [Int64], root: Int) throws(Rows.Failure) -> [Int64: PageRow] {
    var rows: [Int64: PageRow] = [:]
    for row in try source.rows(keys: keys, root: root) { rows[row.key] = row }
    return rows
  }
}

// MARK: - Constraints

extension ConflictFinder {
  /// A new or changed row that a constraint concerns.
  private struct Newcomer {
    let entity: Int
    let key: Int64
  }

  private mutating func check(
    _ constraint: TableConstraint,
    root: Int
  ) throws(Rows.Failure) {
    var newcomers: [[SlotKey]: [Newcomer]] = [:]
    var images: [Int64: [SlotKey]] = [:]
    func add(_ pages: [RowPage], of entity: Int) {
      let layout = schema.model.entities[entity]
      for page in pages {
        for index in 0..<page.count {
          let row = page.row(index)
          let key = PackedRow.key(row)
          let values = constraint.slots.map { SlotKey(row, $0, layout, decimals) }
          images[key] = values
          guard !values.contains(.null), !settled.contains(root: root, key: key) else { continue }
          newcomers[values, default: []].append(Newcomer(entity: entity, key: key))
        }
      }
    }
    for update in changes.updates
    where constraint.entities.contains(update.entity)
      && !Set(update.slots).isDisjoint(with: constraint.slots)
    { add(update.pages, of: update.entity) }
    for insertion in changes.insertions where constraint.entities.contains(insertion.entity) {
      add(insertion.pages, of: insertion.entity)
    }
    guard !newcomers.isEmpty else { return }
    let deleted = Set(
      changes.deletions.filter { schema.model.entities[$0.entity].root == root }
        .flatMap { $0.rows.map(\.key) }
    )
    for row in try source.rows(of: constraint, values: Array(newcomers.keys), root: root)
    where constraint.entities.contains(row.entity) {
      let layout = schema.model.entities[row.entity]
      let values = constraint.slots.map { SlotKey(row.pointer, $0, layout, decimals) }
      guard !deleted.contains(row.key), images[row.key] ?? values == values else { continue }
      for newcomer in newcomers[values] ?? [] where newcomer.key != row.key {
        let isOwn = schema.model.entities[constraint.owner].family.contains(newcomer.entity)
        conflicts.append(
          .constraint(
            entity: isOwn ? newcomer.entity : constraint.owner,
            constraint: constraint.number,
            newcomer: newcomer.key,
            stored: row
          )
        )
      }
    }
  }
}
