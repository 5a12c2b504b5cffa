// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Copies everything that a store keeps into an empty store of any kind.
///
/// These are rows with their keys and versions, pairs, orders and the application's metadata. History
/// stays behind.
///
/// A draft, which nobody takes for a store until it is finished, gets its rows in several saves if it has an
/// engine; any other store in a single one.
package struct StoreTransfer {
  private let source: any RowStore
  private let target: any RowStore
  private let isInParts: Bool
  private let listener: Listener?
  private var model: ModelLayout { source.model }

  /// How many pages go into a save, when there are several: 16 MiB.
  private static let pageLimit = 256
  /// How many owners are asked for their members at once.
  private static let ownerLimit = 500

  /// How far a transfer is.
  package struct Stage: Sendable, Hashable {
    /// The rows that have been read.
    package var rowsRead = 0
    /// The rows that are to be read.
    package var rowCount = 0
    /// Whether nothing but writing is left.
    package var isWriting = false

    package init() {}
  }

  /// What is told how far a transfer is, on the thread that runs it; what it throws ends the transfer.
  package typealias Listener = (Stage) throws(PerennialError) -> Void

  package init(
    from source: any RowStore,
    to target: any RowStore,
    isDraft: Bool,
    telling listener: Listener? = nil
  ) {
    self.source = source
    self.target = target
    self.listener = listener
    isInParts = isDraft && target.capabilities.contains(.queryEngine)
  }

  /// Copies all.
  ///
  /// - Throws: `persistentStoreSave` when the target is not empty, `fetchCancelled` when the task is cancelled, or
  ///   what a store throws.
  package func run() throws(PerennialError) {
    let roots = model.entities.filter { $0.superentity == nil }
    for root in roots where try target.count(StoreQuery(entity: root.index, limit: 1)) > 0 {
      throw PerennialError(
        .persistentStoreSave,
        "The store that is copied to is not empty.",
        recovery: "name a store that does not exist, or that has no objects",
        entity: root.name
      )
    }
    var stage = Stage()
    if let listener {
      for root in roots { stage.rowCount += try source.count(StoreQuery(entity: root.index)) }
      try listener(stage)
    }
    var rest = ChangeSet()
    for root in roots { try copyRows(of: root, &rest, &stage) }
    try copyPairs(&rest)
    try copyOrders(&rest)
    stage.isWriting = true
    try listener?(stage)
    try save(&rest)
    if let source = source as? any DescribedStore, let target = target as? any DescribedStore {
      var metadata = try target.storeMetadata()
      metadata.values = try source.storeMetadata().values
      if !metadata.values.isEmpty { try target.setStoreMetadata(metadata) }
    }
  }

  private static func checkCancellation() throws(PerennialError) {
    if Task.isCancelled { throw .fetchCancelled }
  }

  private func save(_ changes: inout ChangeSet) throws(PerennialError) {
    defer { changes = ChangeSet() }
    try Self.checkCancellation()
    guard !changes.isEmpty else { return }
    do throws(SaveFailure) {
      try target.save(changes)
    } catch {
      if case .failed(let error) = error { throw error }
      throw PerennialError(
        .persistentStoreSave,
        "Somebody else has written to the store that is copied to.",
        recovery: "copy to a store that nobody has open"
      )
    }
  }

  // MARK: Rows

  private func copyRows(
    of root: EntityLayout,
    _ changes: inout ChangeSet,
    _ stage: inout Stage
  ) throws(PerennialError) {
    var rows: [Int: [PageRow]] = [:]
    var pageCount = 0
    var failure: PerennialError?
    func flush() throws(PerennialError) {
      for (entity, rows) in rows.sorted(by: { $0.key < $1.key }) {
        let pages = RowQuery.pages(rows, of: model)
        changes.insertions.append(.init(entity: entity, pages: pages))
      }
      rows = [:]
      pageCount = 0
      if isInParts { try save(&changes) }
    }
    // Set aside first: a store that has rows gives keys after theirs.
    let references = try source.fetchReferences(StoreQuery(entity: root.index))
    guard let greatest = references.lazy.map(\.key).max() else { return }
    _ = try target.reserveKeys(root: root.index, count: Int(greatest))
    try source.fetchRows(StoreQuery(entity: root.index)) { page in
      if failure == nil, Task.isCancelled { failure = .fetchCancelled }
      guard failure == nil else { return }
      for index in 0..<page.count {
        let row = PageRow(page: page, index: index)
        rows[row.entity, default: []].append(row)
      }
      pageCount += 1
      stage.rowsRead += page.count
      do throws(PerennialError) {
        try listener?(stage)
        if isInParts, pageCount >= Self.pageLimit { try flush() }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    try flush()
  }

  // MARK: Relationships

  private func copyPairs(_ changes: inout ChangeSet) throws(PerennialError) {
    for link in model.links {
      let entity = model.entities[link.first.entity]
      guard let index = entity.toManysByName[link.first.name] else { continue }
      var pairs: [ChangeSet.LinkChange.Pair] = []
      try visitMembers(of: entity.toManys[index], entity) { owner, members in
        for member in members where !link.isSymmetric || owner <= member {
          pairs.append(.init(first: owner, second: member))
        }
      }
      guard !pairs.isEmpty else { continue }
      changes.links.append(.init(link: link.index, added: pairs, removed: []))
    }
  }

  private func copyOrders(_ changes: inout ChangeSet) throws(PerennialError) {
    for entity in model.entities {
      for relationship in entity.toManys
      where relationship.isOrdered && relationship.entity == entity.index {
        try visitMembers(of: relationship, entity) { owner, members in
          changes.orders.append(
            .init(relationship: relationship, owner: owner, members: members)
          )
        }
      }
    }
  }

  /// Calls a closure with the members of every owner that has any, in their order.
  private func visitMembers(
    of relationship: RelationshipLayout,
    _ entity: EntityLayout,
    _ body: (Int64, [Int64]) -> Void
  ) throws(PerennialError) {
    let owners = try source.fetchReferences(StoreQuery(entity: entity.index)).map(\.key)
    for some in owners.batches(of: Self.ownerLimit) {
      try Self.checkCancellation()
      let rows = try source.fetchMembers(of: relationship, owners: Array(some), limit: 0)
      for run in rows.runs {
        var members: [Int64] = []
        rows.visit(run) { page, row in members.append(PackedRow.key(page.row(row))) }
        body(run.owner, members)
      }
    }
  }
}
