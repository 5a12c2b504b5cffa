// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1C.4: members of an ordered list that go and come back")
struct ReturningMemberTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Album",
        properties: [.toMany("tracks", "Track", inverse: "album", ordered: true)]
      ),
      EntityDescription(
        "Track",
        properties: [.attribute("name", .string), .toOne("album", "Album", inverse: "tracks")]
      )
    )
  }

  private func names(_ album: ManagedObject) throws -> [String?] {
    try album.orderedObjects(forKey: "tracks").map { try $0.value(forKey: "name") as? String }
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.4 a member that others have taken away comes back as the last one`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind, model: try Self.model(), classes: [])
    let (first, view) = (bench.context(), bench.context())
    view.automaticallyMergesChangesFromParent = true
    let (album, other) = (try first.make("Album"), try first.make("Album"))
    let tracks = try ["m", "n", "o"].map { try first.make("Track", ["name": $0]) }
    for track in tracks { try track.link("album", album) }
    try first.save()
    let ours = try view.existingObject(with: album.objectID)
    let track = try view.existingObject(with: tracks[0].objectID)
    #expect(try names(ours) == ["m", "n", "o"])
    try ours.orderedObjects(forKey: "tracks").move(from: 2, to: 0)
    #expect(try names(ours) == ["o", "m", "n"])
    try tracks[0].link("album", other)
    try first.save()
    try view.processPendingChanges()
    #expect(try names(ours) == ["o", "n"])
    try ours.orderedObjects(forKey: "tracks").append(track)
    #expect(try names(ours) == ["o", "n", "m"])
    try view.save()
    let reader = bench.context()
    #expect(try names(reader.existingObject(with: album.objectID)) == ["o", "n", "m"])
  }

  /// The names of the jars of all racks, as a new context reads them.
  private func jars(_ bench: Bench) throws -> [[String]] {
    let context = bench.context()
    return try context.racks().map { $0.jars.map(\.name) }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1C.4 a member that an overwritten row gives back comes last`(
    _ kind: StoreKind,
    _ isDeleted: Bool
  ) throws {
    let bench = try Bench.racks(kind, racks: 2, jars: 3)
    let mine = bench.context()
    mine.mergePolicy = .overwrite
    let jar = try mine.racks()[0].jars[0]
    let theirs = bench.context()
    let racks = try theirs.racks()
    if isDeleted {
      theirs.delete(racks[0].jars[0])
    } else {
      racks[0].jars[0].rack = racks[1]
    }
    try theirs.save()
    jar.name = "back"
    try mine.save()
    #expect(try jars(bench) == [["0.1", "0.2", "back"], ["1.0", "1.1", "1.2"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.4 a member that its own side takes out and puts back comes last`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let team = Team(context: context)
    for name in ["ada", "bob", "cy"] {
      let author = Author(context: context)
      author.name = name
      team.members.append(author)
    }
    try context.save()
    for isMember in [false, true] {
      let other = bench.context()
      let ada = try #require(
        try other.fetch(Author.all.filter(FetchPredicate(format: "name == 'ada'"))).first
      )
      let theirs = try #require(try other.fetch(Team.all).first)
      if isMember { ada.teams.insert(theirs) } else { ada.teams.remove(theirs) }
      try other.save()
    }
    let reader = bench.context()
    let stored = try #require(try reader.fetch(Team.all).first)
    #expect(stored.members.map(\.name) == ["bob", "cy", "ada"])
  }
}
