// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Synchronization
import Testing

@testable import PerennialSQLite

@Suite("How many members each of many owners has")
struct MemberCountTests {
  private final class Statements: Sendable {
    private let texts = Mutex<[String]>([])
    func note(_ event: LogEvent) {
      if event.kind == .sql { texts.withLock { $0.append(event.message) } }
    }
    var counting: [String] {
      texts.withLock { $0 }.filter {
        $0.contains("COUNT(*)") && $0.contains("VALUES") || $0.contains("GROUP BY")
      }
    }
  }

  private let folder: TemporaryFolder
  private let model: ModelLayout
  private let statements = Statements()

  init() throws {
    folder = try TemporaryFolder()
    model = try TestModels.links()
  }

  private func open() throws -> SQLiteStore {
    var description = StoreDescription.sqlite(folder.file())
    description.logLevel = .statements
    description.log = { [statements] in statements.note($0) }
    return try SQLiteStore(url: folder.file(), model: model, log: EventLog(description))
  }

  /// 20 albums: number n has n tracks and n - 1 tags, the last none.
  private func fill(_ store: SQLiteStore) throws {
    let owned = (1...19).flatMap { album in (0..<album).map { (album, album * 100 + $0) } }
    var changes = model.insertion([
      ("Album", (1...20).map { Row(Int64($0)) }), ("Tag", (1...20).map { Row(Int64($0)) }),
      ("Track", owned.map { Row(Int64($0.1), ["album": .reference("Album", Int64($0.0))]) }),
    ])
    let pairs = (2...19).flatMap { album in (1..<album).map { (Int64(album), Int64($0)) } }
    changes.links = [try model.link("Album", "tags", added: pairs)]
    try store.save(changes)
  }

  @Test(arguments: [true, false], [1, 3, 16, 20])
  func `owners are counted one by one in an index, and by groups without it`(
    _ hasIndex: Bool,
    _ ownerCount: Int
  ) throws {
    try fill(open())
    if !hasIndex {
      try SQLiteConnection(path: folder.file().path, access: .write, busyTimeout: .seconds(1))
        .execute("DROP INDEX ZTRACK_ZALBUM_INDEX")
    }
    let store = try open()
    let owners = (0..<ownerCount).map { Int64(20 - $0) }
    let tracks = try store.countMembers(of: model.relationship("Album", "tracks"), owners: owners)
    #expect(tracks.filter { $0.value > 0 }.count == ownerCount - 1)
    for owner in owners { #expect(tracks[owner] ?? 0 == (owner == 20 ? 0 : Int(owner))) }
    #expect(statements.counting.map { $0.contains("GROUP BY") } == [!hasIndex])
    let tags = try store.countMembers(of: model.relationship("Album", "tags"), owners: owners)
    for owner in owners { #expect(tags[owner] ?? 0 == (owner == 20 ? 0 : Int(owner) - 1)) }
    #expect(statements.counting.last?.contains("GROUP BY") == false)
  }
}
