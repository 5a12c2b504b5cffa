// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// How a parent answers what its children ask: as a store would, with its pending changes applied.

extension ManagedObjectContext {
  /// Whether pending changes can change the answer to a child's query.
  func changesMatter(toServing query: StoreQuery) throws(PerennialError) -> Bool {
    guard hasEdits else { return false }
    switch query.scope {
    case .all, .keys: return try changesMatter(to: query)
    case .related, .relatedMember:
      if relationships.hasChanges { return true }
      return try changesMatter(to: query)
    }
  }

  /// Whether pending changes can change the answer to a child's projection.
  func changesMatter(toServing query: ProjectionQuery) throws(PerennialError) -> Bool {
    guard hasEdits else { return false }
    if try changesMatter(toServing: query.rows) { return true }
    guard !query.reached.isEmpty else { return false }
    return relationships.hasChanges || query.reached.contains { hasChanges(in: $0) }
  }

  /// The objects that a query selects.
  func serve(_ query: StoreQuery) throws(PerennialError) -> [ManagedObject] {
    let scope: [ManagedObject]
    switch query.scope {
    case .all: return awakened(try PendingFetch(context: self, query: query).objects())
    case .keys(let keys):
      scope = try objects(of: Set(keys).sorted(), root: store.model.entities[query.entity].root)
    case .related(let relationship, let owner):
      guard let owner = try object(of: owner, relationship) else { return [] }
      scope = try members(of: owner, relationship)
      let faults = scope.filter { $0._row == nil }.map(\._key)
      _ = try objects(of: faults, root: store.model.entities[relationship.destination].root)
    case .relatedMember(let relationship, let owner, let member):
      let root = store.model.entities[relationship.destination].root
      guard let owner = try object(of: owner, relationship),
        let member = try objects(of: [member], root: root).first,
        try isMember(member, of: owner, relationship)
      else { return [] }
      scope = [member]
    }
    let entity = store.model.entities[query.entity]
    let candidates = scope.filter { object in
      guard !object.isDeleted, let index = object._home?.pointee.layout.index else { return false }
      return query.includesSubentities ? entity.family.contains(index) : index == entity.index
    }
    return try PendingFetch(context: self, query: query).select(from: candidates)
  }

  /// The owner of a relationship, by its key.
  private func object(
    of owner: Int64,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> ManagedObject? {
    let root = store.model.entities[relationship.entity].root
    return try objects(of: [owner], root: root).first
  }

  /// The objects of keys, deleted ones included, with their rows; those that do not exist are left
  /// out.
  func objects(of keys: [Int64], root: Int) throws(PerennialError) -> [ManagedObject] {
    var found: [ManagedObject] = []
    var missing: [Int64] = []
    for key in keys {
      if let known = homes[root].map.find(key)?.takeUnretainedValue(), known._row != nil {
        found.append(known)
      } else if key > 0 || parent != nil {
        missing.append(key)
      }
    }
    if !missing.isEmpty {
      let query = StoreQuery(entity: root, scope: .keys(missing))
      try store.fetchRows(query) { page in append(page, to: &found) }
      for object in found { awaken(object) }
    }
    return found
  }

  /// Copies of objects' rows as they are now.
  ///
  /// A changed row gets a version of its own; a clean one keeps its version.
  func pages(of objects: [ManagedObject]) -> [RowPage] {
    var builder = PageBuilder(byteCount: objects.count > 8 ? PageBuilder.pageByteCount : 1024)
    var pages: [RowPage] = []
    for object in objects {
      guard let home = object._home, let row = object._row else { continue }
      if builder.isFull, builder.hasRows { pages.append(builder.seal()) }
      let layout = home.pointee.layout
      builder.append(
        row,
        of: layout,
        key: object._key,
        version: object._edit == nil ? PackedRow.version(row) : top.family.nextVersion()
      )
    }
    if builder.hasRows { pages.append(builder.seal()) }
    return pages
  }

  /// Gives the rows of a page to the unchanged objects that have older ones, so that a parent never
  /// lags behind its children.
  func catchUp(with page: RowPage) {
    for index in 0..<page.count {
      let row = PageRow(page: page, index: index)
      let known = homes[row.entity].root.pointee.map.find(row.key)?.takeUnretainedValue()
      if let known, known._row != nil { _ = object(of: row) }
    }
  }
}
