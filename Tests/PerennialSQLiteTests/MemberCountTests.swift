// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("How many members each of many owners has")
struct MemberCountTests {
  private let folder: TemporaryFolder
  private let model: ModelLayout
  private let events = LoggedEvents()

  init() throws {
    folder = try TemporaryFolder()
    model = try TestModels.links()
  }

  /// The statements that counted.
  private var counting: [String] {
    events.all.filter { $0.kind == .sql }.map(\.message).filter {
      $0.contains("COUNT(*)") && $0.contains("VALUES") || $0.contains("GROUP BY")
    }
  }

  private func open() throws -> SQLiteStore {
    var description = StoreDescription.sqlite(folder.file())
    description.logLevel = .statements
    description.log = { [events] in events.note($0) }
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
    let filled = owners.filter { $0 != 20 }
    #expect(tracks == Dictionary(uniqueKeysWithValues: filled.map { ($0, Int($0)) }))
    #expect(counting.map { $0.contains("GROUP BY") } == [!hasIndex])
    let tags = try store.countMembers(of: model.relationship("Album", "tags"), owners: owners)
    let tagged = filled.filter { $0 > 1 }
    #expect(tags == Dictionary(uniqueKeysWithValues: tagged.map { ($0, Int($0) - 1) }))
    #expect(counting.last?.contains("GROUP BY") == false)
  }
}
