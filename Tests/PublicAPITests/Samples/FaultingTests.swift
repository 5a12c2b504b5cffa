// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Samples of loading what is needed, when it is needed.
@Suite("Faulting samples")
struct FaultingTests {
  private func fill(_ context: ManagedObjectContext) throws {
    for name in ["Ada", "Joe"] {
      let author = Author(context: context)
      author.name = name
      for number in 0..<30 {
        let commit = Commit(context: context)
        commit.sha = "\(name) \(number)"
        commit.message = "message"
        commit.date = Date(timeIntervalSinceReferenceDate: Double(number))
        commit.author = author
      }
    }
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `a list loads rows as they are looked at`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    try fill(store.container.newBackgroundContext())
    let context = store.container.newBackgroundContext()
    let request = Commit.sorted(by: \.date, .reverse).prefetching(\.author)

    let commits = try context.fetch(request, batchSize: 20)

    #expect(commits.count == 60)
    #expect(Set(commits.prefix(2).map(\.sha)) == ["Ada 29", "Joe 29"])
    #expect(commits[10].author?.name.isEmpty == false)
    #expect(try context.fetch(request.batchSize(20)).map(\.sha).count == 60)
  }

  @Test(arguments: StoreKind.allCases)
  func `a context that must not load lazily says what was not prefetched`(_ kind: StoreKind) throws
  {
    let store = try TourStore(kind)
    try fill(store.container.newBackgroundContext())
    let context = store.container.newBackgroundContext()
    context.stalenessInterval = 0
    context.lazyLoading = .raiseOnLazyLoad

    var lines: [String] = []
    for commit in try context.fetch(Commit.all.prefetching(\.author)) {
      lines.append("\(commit.message), \(commit.author?.name ?? "-")")
    }
    #expect(lines.count == 60 && !lines.contains { $0.hasSuffix(", ") })

    context.reset()
    let commits = try context.fetch(Commit.all)
    #expect(commits.first?.author?.name == "")
    #expect(context.lastFaultError?.code == .lazyLoad)
    let error = try failure { _ = try context.fetch(Commit.all) }
    #expect(error.code == .lazyLoad && error.entity == "Author" && error.property == "name")
    try context.load(commits, prefetching: ["author"])
    #expect(commits.first?.author?.name.isEmpty == false)
  }

  @Test(arguments: StoreKind.allCases)
  func `relationships tell what is loaded`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    try fill(store.container.newBackgroundContext())
    let context = store.container.newBackgroundContext()
    let authors = try context.fetch(Author.sorted(by: \.name))

    #expect(authors.map { $0.commits.count } == [30, 30])
    #expect(try authors[0].hasFault(for: \.commits))
    #expect(try authors[0].objectIDs(for: \.commits).count == 30)
    let queries = context.faultStatistics.memberQueries
    #expect(queries == 2)

    let commit = try #require(authors[0].commits.first { _ in true })
    #expect(try !authors[0].hasFault(for: \.commits))
    commit.message = "changed"
    context.refresh(commit, mergeChanges: false)
    #expect(commit.isFault && !context.hasChanges)
    context.reset()
    #expect(authors[0].name == "Ada" && authors[0].managedObjectContext == nil)
  }
}
