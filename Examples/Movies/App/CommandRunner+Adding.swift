// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import ConsoleStore
import MoviesKit
import Perennial

extension CommandRunner {
  /// Saves a movie at once and shows its row; then looks its popularity up, saves it and shows it.
  func addMovie(titled title: String, for member: String) async throws {
    let container = try open(for: .change)
    let movie = try await container.performBackgroundTask { context in
      try Family(context: context).addMovie(titled: title, for: member)
    }
    if movie.isKnown { terminal.note("It was a favourite before.") }
    var row = movie.row
    guard row.popularity == nil else { return try print(row) }
    guard let lookup = MovieLookup(invocation.lookup) else {
      terminal.note("\(MovieLookup.noKey.message).\n\(MovieLookup.noKey.advice)")
      return try print(row)
    }

    try showWaiting(row)
    let outcome: LookupOutcome
    do {
      let rater = Rater(lookup: lookup, container: container)
      outcome = try await rater.rate(Rater.Target(id: movie.id, title: row.title))
    } catch {
      // The movie is saved, and what is told about the error needs a line of its own.
      try print(row, replacesWaiting: true)
      throw error
    }
    if case .found(let popularity) = outcome { row.popularity = popularity }
    try print(row, replacesWaiting: true)
    try report(outcome)
  }

  private func report(_ outcome: LookupOutcome) throws {
    switch outcome {
    case .found: return
    case .unknown: terminal.note("The Movie Database does not know this movie.")
    case .failed(var failure, _):
      failure.advice += " The movie is saved; 'movies rate' looks its popularity up."
      throw failure
    }
  }

  /// Whether the row is shown before its number is known.
  private var showsWaiting: Bool { terminal.overwritesLines && !invocation.isJSON }

  /// Shows the row without its number where it can be overwritten.
  private func showWaiting(_ row: MovieRow) throws {
    guard showsWaiting, let width = terminal.width else { return }
    try terminal.output.write(row.line(style: terminal.style, width: width - 1))
    try terminal.output.flush()
  }

  private func print(_ row: MovieRow, replacesWaiting: Bool = false) throws {
    if replacesWaiting, showsWaiting { try terminal.output.write("\r\u{1B}[K") }
    let width = terminal.width.map { $0 - 1 }
    try print(json: row.json, lines: [row.line(style: terminal.style, width: width)])
    try terminal.output.flush()
  }
}
