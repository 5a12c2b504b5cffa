// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

@Suite("SEMANTICS 1C: contexts that refuse to load lazily")
struct LazyLoadingTests {
  /// A context that refuses, and takes no row from another one.
  private func strict(_ bench: FaultBench) -> ManagedObjectContext {
    let context = bench.context()
    context.stalenessInterval = 0
    context.lazyLoading = .raiseOnLazyLoad
    return context
  }

  /// Checks that a closure asks nothing and leaves one error, which the next fetch throws once.
  private func expectRefusal(
    of entity: String,
    _ property: String,
    in context: ManagedObjectContext,
    _ bench: FaultBench,
    _ body: () throws -> Void
  ) throws {
    let asked = try bench.asked(body)
    #expect(asked.total == 0)
    let error = try #require(context.lastFaultError)
    #expect(error.code == .lazyLoad && error.code.rawValue == 200_012)
    #expect(error.entity == entity && error.property == property)
    let id = try #require(error.objectID)
    #expect(error.message.contains("'\(entity).\(property)'"))
    #expect(error.message.contains("\(id)"))
    #expect(error.recovery.contains("relationshipKeyPathsForPrefetching"))
    #expect(code { _ = try context.fetch(Team.all) } == .lazyLoad)
    #expect(code { _ = try context.fetch(Team.all) } == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `a property of a fault is an error that the next fetch throws`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    let commit = try #require(try context.fetch(Commit.all).first)
    let author = try #require(commit.author)
    #expect(author.isFault)
    try expectRefusal(of: "Author", "name", in: context, bench) { #expect(author.name == "") }
    try expectRefusal(of: "Author", "email", in: context, bench) { author.email = "new" }
    #expect(author.isFault && !context.hasChanges)
    context.lazyLoading = .load
    #expect(!author.name.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `a loop of refusals is one error for each property`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    let authors = Set(try context.fetch(Commit.all).compactMap(\.author))
    #expect(authors.count == 20)
    for author in authors { _ = (author.name, author.email) }
    let error = try #require(
      throws: PerennialError.self,
      performing: { _ = try context.fetch(Commit.all) }
    )
    #expect(error.code == .multipleErrors)
    #expect(error.problems.map(\.code) == [.lazyLoad, .lazyLoad])
    #expect(error.problems.compactMap(\.property).sorted() == ["email", "name"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a save after a refusal throws and writes nothing`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    let commit = try #require(try context.fetch(Commit.all).first)
    let message = commit.message
    commit.message = "by '\(commit.author?.name ?? "-")'"
    #expect(code { try context.save() } == .lazyLoad)
    let stored = try bench.context().object(Commit.self, with: commit.objectID)
    #expect(stored.message == message)
  }

  @Test(arguments: StoreKind.allCases)
  func `the objects of a to-many relationship are refused, and so is whatever needs them`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    let author = try #require(try context.fetch(Author.all).first)
    let team = try #require(try context.fetch(Team.all).first)
    let member = try #require(try team.objectIDs(forRelationshipNamed: "members").first)
    let other = try #require(try context.fetch(Author.all).first { $0.objectID != member })
    func refused(_ entity: String, _ property: String, _ body: () throws -> Void) throws {
      try expectRefusal(of: entity, property, in: context, bench, body)
    }
    try refused("Author", "commits") { #expect(Array(author.commits).isEmpty) }
    try refused("Author", "commits") { #expect(author.commits.count == 0) }
    try refused("Author", "commits") { #expect(author.commits.objectIDs.isEmpty) }
    try refused("Author", "commits") { author.commits = [] }
    try refused("Team", "members") { #expect(Array(team.members).isEmpty) }
    try refused("Team", "members") { #expect(!team.members.contains(other)) }
    try refused("Team", "members") { team.members.append(other) }
    try refused("Team", "members") { team.members.remove(other) }
    try refused("Team", "members") { team.members = [] }
    try refused("Team", "members") { team.members.remove(at: 0) }
    try refused("Team", "members") { team.members.insert(other, at: 0) }
    let view = team.members
    try refused("Team", "members") { #expect(Array(view).isEmpty) }
    try context.load([team], prefetching: ["members"])
    #expect(view.count == 1 && !view.contains(other) && Array(view).map(\.objectID) == [member])
    #expect(!context.hasChanges)
    try context.save()
    let reader = bench.context()
    let stored = try reader.object(Team.self, with: team.objectID)
    #expect(!stored.members.contains { $0.objectID == other.objectID } && !stored.members.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `what needs no question is allowed`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    let commit = try #require(try context.fetch(Commit.all).first)
    let author = try #require(try context.fetch(Author.all).first)
    let asked = try bench.asked {
      #expect(commit.url == "")
      #expect(commit.author != nil)
      #expect(commit.author?.objectID != nil)
      commit.author = author
      let isFault = try author.hasFault(forRelationshipNamed: "commits")
      #expect(isFault)
      let new = Commit(context: context)
      new.author = author
      #expect(new.author === author)
      context.delete(new)
    }
    #expect(asked.total == 0)
    #expect(context.lastFaultError == nil)
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `a row that another context has brought needs no question`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    context.lazyLoading = .raiseOnLazyLoad
    let reader = bench.context()
    #expect(try reader.fetch(Commit.all).first?.author?.name.isEmpty == false)
    let commit = try #require(try context.fetch(Commit.all).first)
    let author = try #require(commit.author)
    let asked = bench.asked { #expect(!author.name.isEmpty) }
    #expect(asked.total == 0)
    #expect(context.lastFaultError == nil && context.faultStatistics.cacheHits == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `what is loaded on purpose is allowed`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    do {
      let context = strict(bench)
      let commits = try context.fetch(Commit.all.prefetching(\.author))
      #expect(Set(commits.compactMap { $0.author?.name }).count == 20)
      let authors = try context.fetch(prefetching("commits", "teams"))
      let asked = bench.asked {
        #expect(authors.reduce(0) { $0 + Array($1.commits).count } == 100)
        #expect(authors.allSatisfy { $0.teams.count == 1 && $0.teams.objectIDs.count == 1 })
      }
      #expect(asked.total == 0 && context.lastFaultError == nil)
    }
    do {
      let context = strict(bench)
      let commits = try context.fetch(Commit.all)
      let authors = Array(Set(commits.compactMap(\.author)))
      let loaded = try bench.asked { try context.load(authors, prefetching: ["commits"]) }
      #expect(loaded.rows == 1 && loaded.members == 1 && loaded.total == 2)
      let read = bench.asked {
        #expect(Set(authors.map(\.name)).count == 20)
        #expect(Set(authors.flatMap { Array($0.commits) }) == Set(commits))
      }
      #expect(read.total == 0 && context.lastFaultError == nil)
      #expect(try bench.asked { try context.load(authors) }.total == 0)
    }
    do {
      let context = strict(bench)
      let commit = try #require(try context.fetch(Commit.all).first)
      let author = try #require(commit.author)
      context.refresh(author, mergeChanges: true)
      #expect(!author.name.isEmpty)
      #expect(try author.objectIDs(forRelationshipNamed: "commits").count == 5)
      let id = try #require(try bench.context().fetch(Author.all).last?.objectID)
      #expect(try context.existingObject(with: id) is Author)
      #expect(context.lastFaultError == nil)
    }
  }

  private func prefetching(_ keyPaths: String...) -> FetchRequest<Author> {
    var request = Author.all
    request.relationshipKeyPathsForPrefetching = keyPaths
    return request
  }

  @Test(arguments: StoreKind.allCases)
  func `prefetched objects of to-many relationships are read again when they were forgotten`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    let new = Author(context: context)
    new.name = "new"
    for author in try context.fetch(prefetching("commits", "teams")) {
      #expect(author.commits.count == (author === new ? 0 : 5))
      author.email = "\(Array(author.teams).count)"
      try context.save()
    }
    #expect(!new.hasChanges && Array(new.commits).isEmpty)
    let writer = bench.context()
    Team(context: writer).title = "other"
    try writer.save()
    let team = try #require(try context.first(Team.filter("title == 'other'")))
    for author in try context.fetch(Author.all) {
      #expect(author.commits.objectIDs.count == (author === new ? 0 : 5))
      #expect(!author.teams.contains(team))
    }
    #expect(context.lastFaultError == nil)
    context.reset()
    let author = try #require(try context.first(Author.all))
    try expectRefusal(of: "Author", "commits", in: context, bench) {
      #expect(author.commits.count == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `prefetched objects of an object that a refresh makes a fault are refused`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    let authors = try context.fetch(prefetching("commits"))
    let author = try #require(authors.first)
    context.refresh(author, mergeChanges: false)
    try expectRefusal(of: "Author", "commits", in: context, bench) {
      #expect(author.commits.count == 0)
    }
    #expect(authors.last?.commits.count == 5)
    try context.load([author], prefetching: ["commits"])
    #expect(author.commits.count == 5)
  }

  @Test(arguments: StoreKind.allCases)
  func `any number of relationships may be prefetched`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    let authors = try context.fetch(Author.all)
    for author in authors { try context.load([author], prefetching: ["commits"]) }
    #expect(authors.reduce(0) { $0 + Array($1.commits).count } == 100)
    #expect(context.lastFaultError == nil)
    let author = try #require(authors.first)
    try expectRefusal(of: "Author", "teams", in: context, bench) {
      #expect(author.teams.count == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a name that is no relationship is an error of loading`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 1)
    let context = strict(bench)
    let authors = try context.fetch(Author.all)
    #expect(code { try context.load(authors, prefetching: ["comits"]) } == .unknownName)
  }

  @Test(arguments: StoreKind.allCases)
  func `access by name throws the error itself`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    let commit = try #require(try context.fetch(Commit.all).first)
    let author = try #require(try commit.object(forKey: "author"))
    let asked = bench.asked {
      #expect(code { _ = try author.value(forKey: "name") } == .lazyLoad)
      #expect(code { try author.setValue("new", forKey: "name") } == .lazyLoad)
      #expect(code { try author.setPrimitiveValue("new", forKey: "name") } == .lazyLoad)
      #expect(code { _ = try author.value(forKey: "commits") } == .lazyLoad)
      #expect(code { _ = try author.value(forKey: "nome") } == .unknownName)
      let teams = try? context.registeredObject(for: author.objectID)?.value(forKey: "teams")
      #expect(teams == nil)
    }
    #expect(asked.total == 0)
    // What was thrown is not thrown again.
    #expect(code { _ = try context.fetch(Commit.all) } == nil)
    #expect(code { try context.save() } == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `saves, deletions, undo and conditions load what they need`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    context.undoManager = ContextUndoManager()
    let commit = try #require(try context.fetch(Commit.all).first)
    let author = try #require(commit.author)
    // The cascade of an author needs its commits, the deletion of a fault its row.
    context.delete(author)
    try context.processPendingChanges()
    #expect(commit.isDeleted)
    context.undo()
    #expect(!commit.isDeleted && !author.isDeleted)
    context.redo()
    try context.save()
    #expect(try bench.context().count(for: Commit.all) == 95)
    // An unsaved change makes memory look at the objects.
    let other = try #require(try context.fetch(Commit.all).first)
    other.message = "changed"
    let found = try context.fetch(Commit.filter("message == 'changed' AND author.name != ''"))
    #expect(found == [other])
    #expect(context.lastFaultError == nil)
  }

  /// What loads on purpose, and must end with refusing.
  private static let deeds: [@Sendable (ManagedObjectContext) throws -> Void] = [
    { $0.rollback() }, { try $0.save() }, { try $0.processPendingChanges() },
    { $0.refreshAllObjects() }, { $0.undo() },
    { context in context.insertedObjects.forEach(context.delete) },
    { _ = try $0.fetch(Team.all) }, { _ = try $0.validate() },
  ]

  @Test(arguments: StoreKind.allCases, deeds.indices)
  func `what loads on purpose ends, and refusing goes on`(_ kind: StoreKind, _ deed: Int) throws {
    let bench = try FaultBench(kind)
    let context = strict(bench)
    context.undoManager = ContextUndoManager()
    let author = try #require(try context.fetch(Commit.all).first?.author)
    Author(context: context).name = "new"
    try Self.deeds[deed](context)
    #expect(author.isFault)
    try expectRefusal(of: "Author", "name", in: context, bench) { #expect(author.name == "") }
  }

  @Test(arguments: StoreKind.allCases)
  func `a one-to-one relationship is set whole or not at all`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 1)
    let writer = bench.context()
    let (team, other) = (Team(context: writer), Team(context: writer))
    let (badge, second) = (Badge(context: writer), Badge(context: writer))
    (team.badge, other.badge) = (badge, second)
    try writer.save()

    let context = strict(bench)
    let mine = try context.object(Team.self, with: team.objectID)
    let taken = try context.object(Badge.self, with: second.objectID)
    // Its own badge would have to give it up.
    try expectRefusal(of: "Badge", "team", in: context, bench) { mine.badge = nil }
    // The badge is here, and the team that would have to give it up is not.
    let own = try #require(mine.badge)
    try context.load([own])
    try expectRefusal(of: "Team", "badge", in: context, bench) { mine.badge = taken }
    #expect(!context.hasChanges && mine.badge?.objectID == badge.objectID)
    let loser = try #require(taken.team)
    try context.load([loser])
    mine.badge = taken
    try context.save()
    let stored = bench.context()
    #expect(try stored.object(Team.self, with: team.objectID).badge?.objectID == second.objectID)
    #expect(try stored.object(Team.self, with: other.objectID).badge == nil)
    #expect(try stored.object(Badge.self, with: badge.objectID).team == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `a child begins with its parent's mode`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let parent = strict(bench)
    let child = ManagedObjectContext(parent: parent)
    #expect(child.lazyLoading == .raiseOnLazyLoad)
    let commit = try #require(try child.fetch(Commit.all).first)
    let author = try #require(commit.author)
    let asked = bench.asked { #expect(author.name == "") }
    #expect(asked.total == 0)
    #expect(child.lastFaultError?.code == .lazyLoad)
    #expect(code { try child.save() } == .lazyLoad)
    commit.message = "changed"
    try child.save()
    try parent.save()
    #expect(try bench.context().fetch(Commit.filter("message == 'changed'")).count == 1)
    #expect(bench.context().lazyLoading == .load)
  }
}
