// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1C: objects that are members of several owners")
struct RepeatedMemberTests {
  @Test(arguments: StoreKind.allCases)
  func `1C.5 an object that a batch has brought twice has its own members once`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let writer = bench.context()
    let author = Author(context: writer)
    author.name = "Joe"
    let teams = (0..<3).map { _ in Team(context: writer) }
    for team in teams { team.members = [author] }
    try writer.save()
    let context = bench.context()
    for team in try context.fetch(Team.all) {
      #expect(team.members.map(\.name) == ["Joe"])
    }
    let reader: Author = try context.object(with: author.objectID)
    #expect(Array(reader.teams).count == 3)
    #expect(reader.teams.count == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 refreshAllObjects keeps pairs that were linked and unlinked`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let authors = (0..<3).map { number in
      let author = Author(context: context)
      author.name = "\(number)"
      return author
    }
    let team = Team(context: context)
    team.members = [authors[0], authors[1]]
    try context.save()
    team.members.append(authors[2])
    team.members.remove(authors[0])
    context.refreshAllObjects()
    #expect(Array(team.members) == [authors[1], authors[2]])
    try context.save()
    let reader = bench.context()
    let stored = try #require(try reader.fetch(Team.all).first)
    #expect(stored.members.map(\.name) == ["1", "2"])
  }
}
