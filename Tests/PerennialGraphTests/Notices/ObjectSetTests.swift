// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// SEMANTICS 1D.6: the sets of a context's objects.
@Suite("Sets of objects")
struct ObjectSetTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.6 changed objects are in the set of what a save does`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let context = cast.context
    let new = Author(context: context)
    let dropped = Author(context: context)
    context.delete(dropped)
    cast.author.name = "Ann"
    context.delete(cast.team)
    try context.processPendingChanges()

    #expect(context.insertedObjects == [new])
    #expect(context.updatedObjects == [cast.author])
    #expect(context.deletedObjects == [cast.team])
    context.rollback()

    #expect(context.insertedObjects.isEmpty)
    #expect(context.updatedObjects.isEmpty)
    #expect(context.deletedObjects.isEmpty)
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.6 a new object that was deleted is nothing to save, once its rules are applied`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    let context = cast.context
    let child = ManagedObjectContext(parent: context)
    let draft = Author(context: context)
    draft.teams.insert(cast.team)
    let seen = try child.object(Author.self, with: draft.objectID)
    #expect(seen.teams.count == 1)
    context.delete(draft)
    #expect(context.hasChanges)
    try context.processPendingChanges()

    #expect(!context.hasChanges && !cast.team.hasChanges)
    #expect(try child.count(for: Author.all) == 1)
    try context.save()
    #expect(!context.hasChanges && draft.managedObjectContext == nil)

    child.delete(Team(context: child))
    try child.processPendingChanges()
    #expect(!child.hasChanges)
    cast.author.name = "Ann"
    #expect(context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.6 nor is the order of its members`(_ kind: StoreKind) throws {
    let album = EntityDescription(
      "Album",
      properties: [.toMany("tracks", "Track", inverse: "albums", ordered: true)]
    )
    let track = EntityDescription(
      "Track",
      properties: [.toMany("albums", "Album", inverse: "tracks")]
    )
    let bench = try Bench(kind, model: try ManagedObjectModel(album, track), classes: [])
    let context = bench.context()
    let tracks = [try context.make("Track"), try context.make("Track")]
    try context.save()
    let new = try context.make("Album")
    for track in tracks { try new.orderedObjects(forKey: "tracks").insert(track, at: 0) }
    context.delete(new)
    try context.processPendingChanges()
    #expect(!context.hasChanges)
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.6 owners of a changed pair have changes until they are saved`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)

    cast.author.teams.remove(cast.team)
    #expect(cast.author.isUpdated)
    #expect(cast.team.hasChanges)
    #expect(!cast.commit.hasChanges)
    #expect(cast.context.updatedObjects == [cast.author, cast.team])
    try cast.context.save()

    #expect(!cast.author.isUpdated)
    #expect(!cast.team.hasChanges)
    #expect(cast.context.updatedObjects.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.6 owners of a changed pair are held until they are saved`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let (author, team) = try {
      let cast = try Cast(bench)
      return (cast.author.objectID, cast.team.objectID)
    }()
    let context = bench.context()
    try context.object(Author.self, with: author).teams
      .remove(context.object(Team.self, with: team))

    #expect(Set(context.updatedObjects.map(\.objectID)) == [author, team])
    try context.save()

    #expect(context.registeredObjects.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.6 a pair that comes and goes is no change of its ordered owner`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    let team = Team(context: cast.context)
    try cast.context.save()

    cast.author.teams.insert(team)
    cast.author.teams.remove(team)

    #expect(!team.isUpdated && !cast.context.hasChanges)
    #expect(cast.context.updatedObjects.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.6 a pair that comes and goes is no change of its symmetric ends`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let (first, second) = (Team(context: context), Team(context: context))
    try context.save()

    first.allies.insert(second)
    #expect(context.updatedObjects == [first, second])
    first.allies.remove(second)

    #expect(context.updatedObjects.isEmpty)
    #expect(!second.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.6 both owners of a moved member have changes`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let other = Author(context: cast.context)
    other.name = "Ann"
    try cast.context.save()

    cast.commit.author = other
    #expect(cast.context.updatedObjects == [cast.commit, cast.author, other])
    #expect(other.isUpdated)
    cast.commit.author = cast.author

    #expect(!other.hasChanges)
    #expect(!cast.author.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.6 registered objects are held weakly unless the context retains them`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let cast = try Cast(bench)
    let context = bench.context()

    #expect(try context.fetch(Author.all).count == 1)
    #expect(context.registeredObjects.isEmpty)
    context.retainsRegisteredObjects = true
    #expect(try context.fetch(Author.all).count == 1)
    #expect(context.registeredObjects.map(\.objectID) == [cast.author.objectID])
    weak let held: ManagedObject? = context.registeredObjects.first
    #expect(held != nil)
    context.retainsRegisteredObjects = false

    #expect(held == nil)
    #expect(context.registeredObjects.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.6 a retained object is let go when its deletion is saved`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.retainsRegisteredObjects = true
    weak var held: Team?
    do {
      let team = Team(context: context)
      held = team
      try context.save()
      context.delete(team)
    }
    try context.save()

    #expect(held == nil)
    #expect(context.registeredObjects.isEmpty)
  }
}
