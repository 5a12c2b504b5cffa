// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
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
}
