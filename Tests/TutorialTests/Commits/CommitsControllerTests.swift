// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

/// The second half of the commits tutorial: the list is a results controller's.
@Suite("The commits tutorial: the results controller")
@MainActor
struct CommitsControllerTests {
  /// The list of a tutorial, whose cells show the shas.
  private func makeScreen(_ app: CommitsApp, byAuthor: Bool = false) throws -> ListScreen<Commit> {
    try ListScreen(app.makeController(byAuthor: byAuthor)) { $0.sha }
  }

  /// Saves many commits by some authors, in the background.
  private func addCommits(_ count: Int, authors: Int, to app: CommitsApp) async throws {
    try await app.container.performBackgroundTask { context in
      let people = (0..<authors).map { number in
        let author = Author(context: context)
        author.name = "Author \(number)"
        author.email = ""
        return author
      }
      for number in 0..<count {
        let commit = Commit.add("\(number)", at: moment(Double(number)), to: context)
        commit.author = people[number % authors]
      }
      try context.save()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the controller has one section without a section key`(_ kind: StoreKind) throws {
    let controller = try CommitsApp(kind).makeController(byAuthor: false)
    try controller.performFetch()
    #expect(controller.sections?.count == 1)
    #expect(controller.sections?.first?.numberOfObjects == 4)
    #expect(controller.object(at: [0, 0]).sha == "sha3")
  }

  @Test(arguments: StoreKind.allCases)
  func `the controller makes a section for every author`(_ kind: StoreKind) throws {
    let controller = try CommitsApp(kind).makeController(byAuthor: true)
    try controller.performFetch()
    #expect(controller.sections?.map(\.name) == ["Ada", "Joe Groff"])
    #expect(controller.sections?.map(\.numberOfObjects) == [2, 2])
    #expect(controller.object(at: [1, 0]).sha == "sha2")
  }

  @Test(arguments: StoreKind.allCases)
  func `authors make sections though the tutorial sorts by date alone`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind)
    let controller = FetchedResultsController(
      fetchRequest: Commit.sorted(by: \.date, .reverse).batchSize(20),
      managedObjectContext: app.container.viewContext,
      sectionNameKeyPath: "author.name",
      cacheName: nil
    )
    try controller.performFetch()
    let sections = try #require(controller.sections)
    #expect(sections.map(\.name) == ["Ada", "Joe Groff"])
    #expect(sections.map { $0.objects.map(\.sha) } == [["sha3", "sha0"], ["sha2", "sha1"]])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `only the shown commits are instantiated`(_ kind: StoreKind, byAuthor: Bool) async throws {
    let app = try CommitsApp(kind, isEmpty: true)
    try await addCommits(500, authors: 7, to: app)
    let births = BirthCounter()
    try BirthCounter.$current.withValue(births) {
      let controller = app.makeController(byAuthor: byAuthor)
      try controller.performFetch()
      #expect(controller.sections?.map(\.numberOfObjects).reduce(0, +) == 500)
      #expect(controller.fetchedObjects?.count == 500)
      for row in 0..<20 {
        let commit = controller.object(at: [0, row])
        #expect(commit.message == "Message" && commit.author?.name.isEmpty == false)
      }
    }
    #expect(births.count > 0 && births.count <= 20)
  }

  @Test(arguments: StoreKind.allCases)
  func `a commit that is deleted and saved leaves the list`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind)
    let screen = try makeScreen(app)
    #expect(screen.rows == [["sha3", "sha2", "sha1", "sha0"]])
    let commit = screen.controller.object(at: [0, 1])
    app.container.viewContext.delete(commit)
    try app.saveContext()
    #expect(screen.takeReports() == ["begin", "delete 0.1 -", "end"])
    #expect(screen.rows == [["sha3", "sha1", "sha0"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `a commit that is deleted leaves the list by itself`(_ kind: StoreKind) async throws {
    let app = try CommitsApp(kind)
    let screen = try makeScreen(app, byAuthor: true)
    try await screen.changed {
      app.container.viewContext.delete(screen.controller.object(at: [1, 0]))
    }
    #expect(screen.takeReports() == ["begin", "delete 1.0 -", "end"])
    #expect(screen.rows == [["sha3", "sha0"], ["sha1"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `an import puts new commits into the list`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind)
    let screen = try makeScreen(app, byAuthor: true)
    let new = ServerCommit(sha: "new", message: "Merge", date: CommitsApp.now, author: "Joe Groff")
    try app.importCommits(CommitsApp.serverCommits + [new])
    #expect(screen.rows == [["sha3", "sha0"], ["new", "sha2", "sha1"]])
    // The fetch that looks for the author ends an event: until then the commit has none.
    let reports = screen.takeReports()
    #expect(reports.contains("insert section  0") && reports.contains("insert new - 0.0"))
    #expect(reports.contains("delete section  0") && reports.contains("move new 0.0 1.0"))
  }

  @Test(arguments: StoreKind.allCases)
  func `a background import puts its commits into the list by itself`(
    _ kind: StoreKind
  ) async throws {
    let app = try CommitsApp(kind)
    let screen = try makeScreen(app)
    let container = app.container
    try await screen.changed {
      Task {
        try await container.performBackgroundTask { context in
          Commit.add("new", at: CommitsApp.now, to: context)
          try context.save()
        }
      }
    }
    #expect(screen.takeReports() == ["begin", "insert new - 0.0", "end"])
    #expect(screen.rows == [["new", "sha3", "sha2", "sha1", "sha0"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `another predicate counts from the next fetch on`(_ kind: StoreKind) throws {
    let app = try CommitsApp(kind)
    let screen = try makeScreen(app)
    screen.controller.fetchRequest.predicate = FetchPredicate(format: "message CONTAINS[c] 'fix'")
    #expect(screen.rows == [["sha3", "sha2", "sha1", "sha0"]])
    try screen.reload()
    #expect(screen.takeReports().isEmpty)
    #expect(screen.rows == [["sha2", "sha1", "sha0"]])

    // From now on the list follows the new condition.
    let (other, fix) = (try app.commit("sha3"), try app.commit("sha1"))
    other.message = "Add a fixture"
    fix.message = "Merge pull request 1"
    try app.saveContext()
    #expect(screen.takeReports() == ["begin", "delete 0.1 -", "insert sha3 - 0.0", "end"])
    #expect(screen.rows == [["sha3", "sha2", "sha0"]])

    screen.controller.fetchRequest.predicate = nil
    try screen.reload()
    #expect(screen.rows == [["sha3", "sha2", "sha1", "sha0"]])
  }
}
