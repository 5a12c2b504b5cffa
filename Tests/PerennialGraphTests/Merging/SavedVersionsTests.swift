// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Testing

@testable import PerennialGraph

@Suite("Versions that this process has saved")
struct SavedVersionsTests {
  private let model: ModelLayout

  init() throws {
    model = try ManagedObjectModel(
      entities: [EntityDescription("Thing", properties: [.attribute("name", .string)])]
    ).layout
  }

  /// Notes one save that deletes rows.
  private func note(_ keys: some Sequence<Int64>, in versions: inout SavedVersions) {
    var changes = ChangeSet()
    changes.deletions = [
      .init(entity: 0, rows: keys.map { .init(key: $0, version: 1) })
    ]
    versions.note(changes, model)
  }

  private func known(_ keys: ClosedRange<Int64>, _ versions: SavedVersions) -> [Int64] {
    var versions = versions
    return keys.filter { versions.isLatest(root: 0, key: $0, version: SavedVersions.deleted) }
  }

  @Test func `the last 4,096 rows are remembered, however many saves they come from`() {
    var versions = SavedVersions()
    for key in 1...Int64(5_000) { note([key], in: &versions) }
    #expect(known(1...5_000, versions) == Array(905...5_000))
    let isOlder = versions.isLatest(root: 0, key: 5_000, version: 1)
    let isOther = versions.isLatest(root: 1, key: 5_000, version: SavedVersions.deleted)
    #expect(!isOlder && !isOther)
  }

  @Test func `of a greater save the first 4,096`() {
    var versions = SavedVersions()
    note(1...10, in: &versions)
    note(11...5_000, in: &versions)
    #expect(known(1...5_000, versions) == Array(11...4_106))
  }

  @Test func `of none none`() {
    #expect(known(1...3, SavedVersions()).isEmpty)
  }

  @Test func `who asks between saves is told the same`() {
    var (asked, silent) = (SavedVersions(), SavedVersions())
    for key in 1...Int64(20_000) {
      note([key % 7 == 0 ? 7 : key], in: &asked)
      note([key % 7 == 0 ? 7 : key], in: &silent)
      if key % 1_000 == 0 { _ = asked.isLatest(root: 0, key: key, version: 1) }
    }
    #expect(known(1...20_000, asked) == known(1...20_000, silent))
    #expect(known(1...20_000, asked).filter { $0 > 7 }.first == 15_905)
    #expect(known(1...7, asked) == [7])
  }
}
