// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import ConsoleStore
import Foundation
import MoviesKit
import Perennial

/// Fetches and prints lists of movies.
struct Listing: Sendable {
  let options: ListOptions
  let terminal: Terminal
  let isJSON: Bool

  /// What a list asks the store for.
  ///
  /// - Throws: ``CommandFailure`` when the predicate format cannot be read.
  func request() throws -> FetchRequest<Movie> {
    guard let format = options.format else { return Family.byTitle }
    var request = Family.byTitle
    try explainingFormat { request = request.filter(try FetchPredicate(parsing: format)) }
    return request
  }

  /// Prints the list.
  func run(in container: PersistentContainer) async throws {
    let (rows, members) = try await container.performBackgroundTask { [self] context in
      var rows: [MovieRow] = []
      try explainingFormat { rows = try context.fetch(request()).map { MovieRow($0) } }
      return (rows, try context.fetch(Family.byName).map(\.name))
    }
    guard !isJSON else { return try print(rows) }
    let sections = options.isByMember ? MovieSections(rows, byMember: members) : MovieSections(rows)
    for line in sections.lines(style: terminal.style, width: terminal.width) {
      try terminal.output.writeLine(line)
    }
    try terminal.output.flush()
    if rows.isEmpty { terminal.note(emptiness(members)) }
  }

  private func print(_ rows: [MovieRow]) throws {
    var array = JSONArrayWriter(terminal.output)
    for row in rows { try array.append(row.json) }
    try array.finish()
  }

  func emptiness(_ members: [String]) -> String {
    if options.format != nil { return "No movies match." }
    return members.isEmpty
      ? "There is nobody yet. Run 'movies family add NAME' to add a member of the family."
      : "There are no movies yet. Run 'movies add MEMBER TITLE' to add one."
  }

  /// Turns the errors that a wrong `--where` causes into errors of the command line.
  func explainingFormat(_ body: () throws -> Void) throws {
    try CommandFailure.explainingFormat(of: options.format == nil ? nil : "where", body)
  }
}
