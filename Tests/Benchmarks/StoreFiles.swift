// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The bench's stores: an empty one, one that holds the workload, and copies of them to work on.
///
/// Every copy has a name that was never used before: a connection that closes late removes its own
/// write-ahead log by name, and must not meet another's.
final class StoreFiles {
  private let folder: URL
  private let empty: URL
  private let filled: URL
  private var copies = 0
  let workload: Workload
  private let largeRows: Int
  private var madeLarge: LargeStore?
  private var madeUnindexed: LargeStore?
  private let indexText: (URL) throws -> Void

  /// How many rows the large store has beside one of so many.
  static func largeRows(of rows: Int) -> Int { max(rows, min(10 * rows, 1_000_000)) }

  /// Makes both stores in `folder`; `createStore` makes an empty one and closes it, `indexText` gives
  /// one a full-text index.
  init(
    in folder: URL,
    workload: Workload,
    largeRows: Int,
    createStore: (URL) throws -> Void,
    indexText: @escaping (URL) throws -> Void
  ) throws {
    self.indexText = indexText
    self.folder = folder
    self.workload = workload
    self.largeRows = largeRows
    empty = folder.appending(path: "empty.sqlite")
    filled = folder.appending(path: "filled.sqlite")
    try createStore(empty)
    try Self.finish(empty) { _ in }
    try FileManager.default.copyItem(at: empty, to: filled)
    try Self.finish(filled) { connection in
      try RawInsert(connection: connection, rowsPerStatement: RawInsert.rowsOfTheStore)
        .run(workload)
    }
  }

  func copyOfEmpty() throws -> URL { try copy(of: empty) }

  func copyOfFilled() throws -> URL { try copy(of: filled) }

  /// A copy whose messages have a full-text index.
  func copyOfIndexed() throws -> URL {
    let copy = try copyOfFilled()
    try indexText(copy)
    try Self.finish(copy) { _ in }
    return copy
  }

  /// The large store; made at the first use.
  func large() throws -> LargeStore {
    if let madeLarge { return madeLarge }
    let large = try LargeStore(
      filling: try copyOfEmpty(),
      rows: largeRows,
      authors: workload.authors
    )
    madeLarge = large
    return large
  }

  /// The large store without the index; made at the first use.
  func largeUnindexed() throws -> LargeStore {
    if let madeUnindexed { return madeUnindexed }
    let large = try large()
    let unindexed = try LargeStore(copy: try copy(of: large.file), withoutIndexOf: large)
    madeUnindexed = unindexed
    return unindexed
  }

  /// The large store that an operation reads.
  func large(for operation: Operation) throws -> LargeStore {
    operation.store == .largeUnindexed ? try largeUnindexed() : try large()
  }

  /// Removes a store and the files that SQLite keeps beside it; missing ones do not matter.
  func remove(_ file: URL) {
    for suffix in ["", "-wal", "-shm", ".json", ".json.lock", ".raw"] {
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
  }

  private func copy(of file: URL) throws -> URL {
    copies += 1
    let copy = folder.appending(path: "store\(copies).sqlite")
    try FileManager.default.copyItem(at: file, to: copy)
    return copy
  }

  private static func finish(_ file: URL, _ change: (RawConnection) throws -> Void) throws {
    let connection = try RawConnection(file, isWriter: true)
    try change(connection)
    try connection.checkpoint()
  }
}
