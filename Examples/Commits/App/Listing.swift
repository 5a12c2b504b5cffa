// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import ConsoleStore
import Foundation
import Perennial

/// Fetches and prints lists.
struct Listing: Sendable {
  let options: ListOptions
  let terminal: Terminal
  let isJSON: Bool

  /// What a list asks the store for.
  ///
  /// - Throws: ``CommandFailure`` when the predicate format cannot be read.
  func request(now: Date = .now) throws -> FetchRequest<Commit> {
    var request = Commit.all.limit(options.limit)
    let byDate = FetchSort("date", ascending: false)
    request.sortDescriptors = options.isByAuthor ? [FetchSort("author.name"), byDate] : [byDate]
    for condition in try conditions(now: now) { request = request.filter(condition) }
    return request
  }

  /// Prints the list.
  func run(in container: PersistentContainer) async throws {
    try await container.performBackgroundTask { [self] context in
      try explainingFormat {
        let request = try request()
        var printer = ListPrinter(terminal, options: options, isJSON: isJSON)
        let commits = try context.fetch(request)
        for commit in commits { try printer.print(CommitRow(commit)) }
        let isComplete = isJSON || request.fetchLimit == 0 || commits.count < request.fetchLimit
        try printer.finish(
          total: isComplete ? commits.count : context.count(for: request.limit(0))
        )
      }
    }
  }

  /// The request, if its conditions fit commits: a store without any is asked.
  func checkedRequest() throws -> FetchRequest<Commit> {
    let request = try request()
    if options.format != nil {
      let context = try CommitStore.container(on: .inMemory).newBackgroundContext()
      try explainingFormat { _ = try context.count(for: request) }
    }
    return request
  }

  private func conditions(now: Date) throws -> [FetchPredicate] {
    var conditions: [FetchPredicate] = []
    if options.onlyFixes { conditions.append(FetchPredicate(format: "message CONTAINS[c] 'fix'")) }
    if options.excludesPullRequests {
      conditions.append(FetchPredicate(format: "NOT message BEGINSWITH 'Merge pull request'"))
    }
    if let recent = options.recent {
      let start = now.addingTimeInterval(-Double(recent.seconds))
      conditions.append(FetchPredicate(format: "date > %@", start))
    }
    if let author = options.author {
      conditions.append(FetchPredicate(format: "author.name == %@", author))
    }
    if let format = options.format {
      try explainingFormat { conditions.append(try FetchPredicate(parsing: format)) }
    }
    return conditions
  }

  /// Turns the errors that a wrong `--where` causes into errors of the command line.
  func explainingFormat(_ body: () throws -> Void) throws {
    try CommandFailure.explainingFormat(of: options.format == nil ? nil : "where", body)
  }
}

extension CommitRow {
  /// The row of a commit, for use outside its context.
  init(_ commit: Commit) {
    self.init(
      sha: commit.sha,
      message: commit.message,
      url: commit.url,
      date: commit.date,
      author: commit.author?.name
    )
  }
}
