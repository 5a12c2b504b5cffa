// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import Testing

/// The second half of the movies tutorial: lists that hear of what changes.
@Suite("The movies tutorial: lists that update themselves")
@MainActor
struct MoviesListTests {
  private func makeScreen(_ app: MoviesApp) throws -> ListScreen<FamilyMember> {
    let screen = try ListScreen(app.makeFamilyController()) { member in
      "\(member.name) (\(member.movies.count))"
    }
    #expect(screen.takeReports().isEmpty)
    return screen
  }

  @Test(arguments: StoreKind.allCases)
  func `the list is sorted by name`(_ kind: StoreKind) throws {
    let screen = try makeScreen(MoviesApp(kind, family: "Max", "Ida", "Zoe"))
    #expect(screen.rows == [["Ida (0)", "Max (0)", "Zoe (0)"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `a new member is inserted at its new path`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida", "Zoe")
    let screen = try makeScreen(app)
    try app.saveFamilyMember(withName: "Max")
    #expect(screen.takeReports() == ["begin", "insert Max (0) - 0.1", "end"])
    #expect(screen.rows == [["Ida (0)", "Max (0)", "Zoe (0)"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `a deleted member leaves from its old path`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida", "Max", "Zoe")
    let screen = try makeScreen(app)
    try app.context.persist { app.context.delete(try app.member("Max")) }
    #expect(screen.takeReports() == ["begin", "delete 0.1 -", "end"])
    #expect(screen.rows == [["Ida (0)", "Zoe (0)"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `a renamed member moves from the old path to the new one`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida", "Max", "Zoe")
    let screen = try makeScreen(app)
    try app.context.persist { try app.member("Zoe").name = "Ada" }
    #expect(screen.takeReports() == ["begin", "move Ada (0) 0.2 0.0", "end"])
    #expect(screen.rows == [["Ada (0)", "Ida (0)", "Max (0)"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `a member with a new movie is updated at its path`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida", "Max", "Zoe")
    let screen = try makeScreen(app)
    try app.saveMovie(withName: "Up", for: app.member("Max"))
    #expect(screen.takeReports() == ["begin", "update Max (1) 0.1 0.1", "end"])
    #expect(screen.rows == [["Ida (0)", "Max (1)", "Zoe (0)"]])
  }

  @Test(arguments: StoreKind.allCases)
  func `several changes of one save come together`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida", "Max", "Zoe")
    let screen = try makeScreen(app)
    try app.context.persist {
      app.context.delete(try app.member("Ida"))
      FamilyMember(context: app.context).name = "Bob"
      try app.member("Zoe").name = "Kim"
    }
    // The one that was Zoe moves past Max.
    #expect(screen.rows == [["Bob (0)", "Kim (0)", "Max (0)"]])
    let reports = screen.takeReports()
    #expect(reports.first == "begin" && reports.last == "end")
    #expect(reports.contains("delete 0.0 -") && reports.contains("insert Bob (0) - 0.0"))
    #expect(reports.filter { $0.hasPrefix("move") }.count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `a notification's updated objects have the member that got a movie`(
    _ kind: StoreKind
  ) throws {
    let app = try MoviesApp(kind, family: "Ida", "Max")
    let familyMember = try app.member("Ida")
    let heard = Heard()
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didChangeObjectsNotification,
      object: app.context,
      queue: nil
    ) { notification in
      guard let userInfo = notification.userInfo,
        let updatedObjects = userInfo["updated"] as? Set<FamilyMember>
      else { return }
      let ids = updatedObjects.map(\.objectID)
      MainActor.assumeIsolated { heard.updates.append(Set(ids)) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }

    try app.saveMovie(withName: "Up", for: familyMember)
    #expect(heard.updates == [[familyMember.objectID]])
  }

  @Test(arguments: StoreKind.allCases)
  func `a notification has the movie that was inserted`(_ kind: StoreKind) throws {
    let app = try MoviesApp(kind, family: "Ida")
    let heard = Heard()
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didChangeObjectsNotification,
      object: app.context,
      queue: nil
    ) { notification in
      let inserted = notification.userInfo?["inserted"] as? Set<ManagedObject> ?? []
      let titles = inserted.compactMap { ($0 as? Movie)?.title }
      MainActor.assumeIsolated { heard.titles += titles }
    }
    defer { NotificationCenter.default.removeObserver(observer) }

    try app.saveMovie(withName: "Up", for: app.member("Ida"))
    #expect(heard.titles == ["Up"])
  }

  /// What an observer has heard.
  @MainActor
  private final class Heard {
    var updates: [Set<ManagedObjectID>] = []
    var titles: [String] = []
  }
}
