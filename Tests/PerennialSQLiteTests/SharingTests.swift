// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Synchronization
import Testing

@testable import PerennialSQLite

@Suite("Sharing")
struct SharingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `readers see whole saves while another thread saves`() throws {
    let store = try SQLiteStore(url: folder.file(), model: TestModels.blog())
    let batch = 50
    let problems = Mutex<[any Error]>([])
    let threads = DispatchGroup()
    /// Threads of their own: tasks may run one after the other.
    func run(_ body: @escaping @Sendable () throws -> Void) {
      threads.enter()
      Thread.detachNewThread {
        do { try body() } catch { problems.withLock { $0.append(error) } }
        threads.leave()
      }
    }
    for _ in 0..<4 {
      run {
        var last = 0
        while last < 20 * batch, problems.withLock(\.isEmpty) {
          let count = try store.rows("Post").count
          #expect(count % batch == 0)
          #expect(count >= last)
          last = count
        }
      }
    }
    run {
      for number in 0..<20 {
        let first = try store.reserveKeys(root: store.model.index("Post"), count: batch)
        let rows = (0..<Int64(batch)).map {
          Row(first + $0, ["score": .value(.integer(Int64(number)))])
        }
        try store.save(store.model.insertion([("Post", rows)]))
      }
    }
    threads.wait()
    #expect(problems.withLock { $0.map { "\($0)" } } == [])
    #expect(try store.rows("Post").count == 20 * batch)
  }

  @Test func `a page's reader may call the store again`() throws {
    let store = try SQLiteStore(url: folder.file(), model: TestModels.blog())
    try store.save(store.model.insertion([("Post", (1...300).map { Row($0) })]))
    var (pages, inner) = (0, 0)
    try store.fetchRows(StoreQuery(entity: store.model.index("Post"))) { page in
      pages += 1
      inner += (try? store.row("Post", PackedRow.key(page.row(0)))) == nil ? 0 : 1
    }
    #expect(pages > 0 && inner == pages)
  }

  @Test func `a reader keeps few of the pages that it has read`() throws {
    let store = try SQLiteStore(url: folder.file(), model: TestModels.blog())
    let text = String(repeating: "long ", count: 400)
    let rows = (1...8_000).map { Row(Int64($0), ["first": .value(.string(text))]) }
    try store.save(store.model.insertion([("Author", rows)]))
    var count = 0
    try store.fetchRows(StoreQuery(entity: store.model.index("Author"))) { count += $0.count }
    #expect(count == 8_000)
    // 16 MB were read.
    #expect(try store.pool.read { $0.cacheByteCount } < 4 << 20)
  }

  @Test func `two stores on one file see each other's saves and conflicts`() throws {
    let one = try SQLiteStore(url: folder.file(), model: TestModels.blog())
    let two = try SQLiteStore(url: folder.file(), model: TestModels.blog())
    #expect(one.identifier == two.identifier)
    let post = one.model.index("Post")
    let key = try one.reserveKeys(root: post, count: 1)
    #expect(try two.reserveKeys(root: post, count: 1) == key + 1)
    try one.save(one.model.insertion([("Post", [Row(key, ["slug": "a"])])]))
    #expect(try two.value(two.row("Post", key), "slug") == .string("a"))
    var changes = ChangeSet()
    changes.updates = [two.model.update("Post", ["slug"], [Row(key, version: 2, ["slug": "b"])])]
    try two.save(changes)
    changes.updates = [one.model.update("Post", ["slug"], [Row(key, version: 2, ["slug": "c"])])]
    let found = conflicts { try one.save(changes) }
    guard case .version(_, _, let stored) = found.first else {
      Issue.record("no conflict")
      return
    }
    #expect(try one.value(stored, "slug") == .string("b"))
  }

  @Test func `after a conflict over a deletion others can save, and then who met it`() throws {
    let one = try SQLiteStore(url: folder.file(), model: TestModels.blog())
    let two = try SQLiteStore(url: folder.file(), model: TestModels.blog())
    try one.save(one.model.insertion([("Post", [Row(1, ["slug": "a"])])]))
    var changes = ChangeSet()
    changes.deletions = [one.model.deletion("Post", [(1, 4)])]
    #expect(conflicts { try one.save(changes) }.count == 1)
    changes.deletions = []
    changes.updates = [two.model.update("Post", ["slug"], [Row(1, version: 2, ["slug": "b"])])]
    try two.save(changes)
    changes.updates = [one.model.update("Post", ["slug"], [Row(1, version: 3, ["slug": "c"])])]
    try one.save(changes)
    #expect(try two.value(two.row("Post", 1), "slug") == .string("c"))
  }

  @Test func `many stores opened at once make one store`() async throws {
    let url = folder.file()
    let identifiers = try await withThrowingTaskGroup(of: UUID.self) { group in
      for _ in 0..<6 {
        group.addTask { try SQLiteStore(url: url, model: TestModels.blog()).identifier }
      }
      return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
    }
    #expect(identifiers.count == 1)
  }
}
