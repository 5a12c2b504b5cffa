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
  private var madeLarge: LargeStore?
  private let indexText: (URL) throws -> Void

  /// Makes both stores in `folder`; `createStore` makes an empty one and closes it, `indexText` gives
  /// one a full-text index.
  init(
    in folder: URL,
    workload: Workload,
    createStore: (URL) throws -> Void,
    indexText: @escaping (URL) throws -> Void
  ) throws {
    self.indexText = indexText
    self.folder = folder
    self.workload = workload
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

  /// The store of ten times as many rows; made at the first use.
  func large() throws -> LargeStore {
    if let madeLarge { return madeLarge }
    let large = try LargeStore(
      filling: try copyOfEmpty(),
      rows: workload.commits.count * 10,
      authors: workload.authors
    )
    madeLarge = large
    return large
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
