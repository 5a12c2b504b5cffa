// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

/// The first half of the movies tutorial: saving and fetching a family and its movies.
@Suite("The movies tutorial: saving and fetching")
@MainActor
struct MoviesSavingTests {
  @Test(arguments: StoreKind.allCases)
  func `a family member is saved in the context's isolation`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind)
    let context = app.context
    let member = FamilyMember(context: context)
    member.name = "Ida"
    do {
      try context.save()
    } catch {
      context.rollback()
    }
    #expect(!member.objectID.isTemporaryID)
    #expect(try app.names() == ["Ida"])
  }

  @Test(arguments: StoreKind.allCases)
  func `an error of the save rolls the context back`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida")
    let context = app.context
    try app.member("Ida").name = "Ada"
    _ = FamilyMember(context: context)  // Has no name, which the model requires.
    do {
      try context.save()
      Issue.record("a member without a name was saved")
    } catch {
      #expect(error.code == .missingMandatoryProperty)
      #expect(context.hasChanges)
      context.rollback()
    }
    #expect(!context.hasChanges)
    #expect(try app.names() == ["Ida"])
  }

  @Test(arguments: StoreKind.allCases)
  func `persist runs, saves, and gives back what was made`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind)
    try app.saveFamilyMember(withName: "Ida")
    #expect(!app.context.hasChanges)
    #expect(try app.names() == ["Ida"])
  }

  @Test(arguments: StoreKind.allCases)
  func `persist rolls back and throws the error of its closure`(_ kind: StoreKind) throws {
    struct Refusal: Error {}
    let app = try MoviesApp(kind, family: "Ida")
    #expect(throws: Refusal.self) {
      try app.context.persist {
        try app.member("Ida").name = "Ada"
        FamilyMember(context: app.context).name = "Max"
        throw Refusal()
      }
    }
    #expect(!app.context.hasChanges)
    #expect(try app.names() == ["Ida"])
  }

  @Test(arguments: StoreKind.allCases)
  func `all family members are fetched`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Max", "Ida", "Zoe")
    let request = FetchRequest<FamilyMember>(entityName: "FamilyMember")
    #expect(Set(try app.context.fetch(request).map(\.name)) == ["Ida", "Max", "Zoe"])
  }

  @Test(arguments: StoreKind.allCases)
  func `faults fill on access, a batch at a time`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ada", "Bob", "Cleo")
    var request = FetchRequest<FamilyMember>(entityName: "FamilyMember")
    request.sortDescriptors = [FetchSort("name", ascending: true)]
    request.fetchBatchSize = 2
    app.context.reset()
    app.context.stalenessInterval = 0  // Else the rows that were just saved are still known.
    let family = try app.context.fetch(request)
    #expect(family.map(\.isFault) == [true, true, true])

    let before = app.container.counters
    #expect(family[0].name == "Ada")
    #expect(!family[0].isFault)
    #expect(family[1].name == "Bob")
    #expect((app.container.counters - before).statements == 1)
    #expect(family[2].name == "Cleo")
    #expect((app.container.counters - before).statements == 2)
    #expect(family.map(\.isFault) == [false, false, false])
  }

  @Test(arguments: StoreKind.allCases)
  func `a movie is saved by adding it to the member's movies`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida")
    let ida = try app.member("Ida")
    let movie = try app.saveMovie(withName: "Paddington & friends", for: ida)
    #expect(ida.movies.contains(movie))
    #expect(movie.familyMembers.map(\.name) == ["Ida"])
    app.context.reset()
    #expect(try app.member("Ida").movies.map(\.title) == ["Paddington & friends"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a member's movies are read without a fetch request`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida", "Max")
    for title in ["Up", "Brave"] { try app.saveMovie(withName: title, for: app.member("Ida")) }
    app.context.reset()
    let movies = try app.member("Ida").movies
    #expect(movies.count == 2)
    #expect(movies.map(\.title).sorted() == ["Brave", "Up"])
    #expect(try app.member("Max").movies.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `members share a movie`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida", "Max")
    let movie = try app.saveMovie(withName: "Up", for: app.member("Ida"))
    try app.context.persist { try app.member("Max").movies.insert(movie) }
    app.context.reset()
    let up = try #require(try app.context.first(Movie.filter("title == 'Up'")))
    #expect(up.familyMembers.map(\.name).sorted() == ["Ida", "Max"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a member is found by a part of the name`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Zoé", "Zoe", "Max")
    #expect(try app.names(FetchPredicate(format: "name CONTAINS[n] %@", "oe")) == ["Zoe"])
  }

  @Test(arguments: StoreKind.allCases)
  func `predicates are joined by and, or and not`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ada", "Ben", "Zoe")
    for (name, title) in [("Ada", "Up"), ("Ben", "Brave"), ("Zoe", "Up")] {
      try app.saveMovie(withName: title, for: app.member(name))
    }
    let startsLate = FetchPredicate(format: "name > %@", "B")
    let likesUp = FetchPredicate(format: "ANY movies.title == %@", "Up")
    #expect(try app.names(startsLate && likesUp) == ["Zoe"])
    #expect(try app.names(startsLate || likesUp) == ["Ada", "Ben", "Zoe"])
    #expect(try app.names(!likesUp) == ["Ben"])
    #expect(
      try app.names("name == 'Ben' OR (name == 'Ada' AND NOT name == 'Zoe')") == ["Ada", "Ben"]
    )
  }

  @Test func `the index of an attribute is used`() throws {
    let app = try MoviesApp(.sqlite, family: "Ida")
    var request = FetchRequest<FamilyMember>()
    request.predicate = "name == 'Ida'"
    request.requiresIndex = true
    #expect(try app.context.fetch(request).map(\.name) == ["Ida"])

    var unindexed = FetchRequest<Movie>()
    unindexed.predicate = "title == 'Up'"
    unindexed.requiresIndex = true
    let error = #expect(throws: PerennialError.self) { try app.context.fetch(unindexed) }
    #expect(error?.code == .requiresIndex)
  }
}
