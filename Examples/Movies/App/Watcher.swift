// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import ConsoleStore
import Foundation
import MoviesKit
import Perennial

/// Shows the movies in a list that moves by itself: on the whole screen, or as lines where no
/// terminal shows the output.
///
/// The changes of two results controllers, one for the movies and one for the family, alone decide
/// when something is shown.
@MainActor
final class Watcher {
  private let listing: Listing
  /// It looks for the changes of other processes.
  private let container: PersistentContainer
  private let movies: FetchedResultsController<Movie>
  private let family: FetchedResultsController<FamilyMember>
  private var marks = ChangeMarks()
  /// Whether the list may stay as it is, although others save.
  private let mayMissChanges: Bool

  /// Opens the store, and makes it when it is missing; one that cannot be written is shown.
  init(_ listing: Listing, store: StoreOptions) throws {
    self.listing = listing
    // A wrong request is reported before a store is made.
    let request = try listing.request()
    let access: StoreAccess = store.isOnlyReadable ? .read : .create
    mayMissChanges = access == .read && store.mayMissChanges
    container = try MovieStore.open(store, for: access, watchesOthers: true)
    let context = container.viewContext
    context.retainsRegisteredObjects = mayMissChanges
    movies = FetchedResultsController(fetchRequest: request, managedObjectContext: context)
    family = FetchedResultsController(fetchRequest: Family.byName, managedObjectContext: context)
    try listing.explainingFormat { try movies.performFetch() }
    try family.performFetch()
  }

  /// Shows the list until the user ends it.
  func run() async throws {
    if listing.terminal.hasScreen, !listing.isJSON {
      try await showScreen()
    } else {
      try await printLines()
    }
  }

  /// What follows the number of movies.
  private var ending: String { mayMissChanges ? ", \(StoreOptions.missesChanges)" : "" }

  // MARK: Lines

  private func printLines() async throws {
    let terminal = listing.terminal
    let report = ChangeReport(movies) { movie in
      let row = MovieRow(movie)
      return (row.line(style: terminal.style, width: nil), row.json)
    }
    for await change in movies.changes {
      for (line, json) in report.lines(of: change) {
        try terminal.output.writeLine(listing.isJSON ? json.text : line)
      }
      try terminal.output.flush()
      if change.isInitial {
        terminal.note("Watching \(change.after.numberOfObjects.counted("movie"))\(ending).")
      }
    }
    try Task.checkCancellation()
  }

  // MARK: Screen

  private func showScreen() async throws {
    let (signals, signal) = AsyncStream<Void>.makeStream()
    let (movieChanges, familyChanges) = (movies.changes, family.changes)
    let tasks = [
      Task { @MainActor [weak self] in
        for await change in movieChanges {
          self?.marks = ChangeMarks(change)
          signal.yield()
        }
      },
      Task { @MainActor in
        for await _ in familyChanges { signal.yield() }
      },
    ]
    defer { for task in tasks { task.cancel() } }
    let list = try LiveList(listing.terminal) { [self] in content() }
    try await list.run(drawing: signals)
  }

  private func content() -> LiveList.Content {
    let rows = movies.fetchedObjects?.map { MovieRow($0) } ?? []
    let names = family.fetchedObjects?.map(\.name) ?? []
    let isByMember = listing.options.isByMember
    let shown = isByMember ? MovieSections(rows, byMember: names) : MovieSections(rows)
    let changed = marksByTitle()
    let frame = LiveFrame(
      title: "movies",
      summary: "\(rows.count.counted("movie")), \(names.count.counted("member"))\(ending)",
      emptyText: listing.emptiness(names),
      sections: shown.sections.map { LiveFrame.Section(title: $0.title, count: $0.rows.count) },
      size: .current,
      offset: 0
    )
    return LiveList.Content(frame: frame, focus: shown.place { changed[$0.title] != nil }) {
      place,
      width in
      let row = shown.sections[place.section].rows[place.row]
      return (
        text: { row.line(style: $0, width: width, showsMembers: !isByMember) },
        mark: changed[row.title] ?? .none
      )
    }
  }

  /// What happened to the movies: a title is that of one movie.
  private func marksByTitle() -> [String: LiveFrame.Mark] {
    let context = movies.managedObjectContext
    var result: [String: LiveFrame.Mark] = [:]
    for id in marks.objectIDs {
      guard let movie = try? context.object(Movie.self, with: id) else { continue }
      result[movie.title] = marks[id]
    }
    return result
  }
}
