// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Gathers new rows, and saves them when they are many and the store takes them in several saves.
final class RowSink {
  /// How many pages go into a save, when there are several: 16 MiB.
  private static let pageLimit = 256

  private let target: any RowStore
  private let isInParts: Bool
  private var builder = PageBuilder()
  private var pages: [RowPage] = []
  private var pageCount = 0
  /// What the next save writes: there is always something, if there is any row.
  var changes = ChangeSet()

  init(_ target: any RowStore) {
    self.target = target
    isInParts = target.capabilities.contains(.queryEngine)
  }

  /// Adds the rows that a converter makes of a page.
  func append(_ page: RowPage, _ converter: RowConverter) throws(SaveFailure) {
    for index in 0..<page.count {
      if builder.isFull, builder.hasRows { try seal(converter.destination) }
      converter.append(page.row(index), to: &builder)
    }
  }

  private func seal(_ entity: Int) throws(SaveFailure) {
    if isInParts, pageCount >= Self.pageLimit {
      flush(entity)
      try save()
    }
    pages.append(builder.seal())
    pageCount += 1
  }

  /// Ends the rows of an entity.
  func end(_ entity: Int) {
    if builder.hasRows { pages.append(builder.seal()) }
    flush(entity)
  }

  private func flush(_ entity: Int) {
    guard !pages.isEmpty else { return }
    changes.insertions.append(.init(entity: entity, pages: pages))
    pages = []
  }

  /// Writes what has been gathered.
  func save() throws(SaveFailure) {
    pageCount = 0
    defer { changes = ChangeSet() }
    if !changes.isEmpty { try target.save(changes) }
  }
}
