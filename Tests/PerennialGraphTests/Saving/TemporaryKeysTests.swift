// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import RandomTesting
import Testing

@testable import PerennialGraph

@Suite("What temporary keys became")
struct TemporaryKeysTests {
  private func run(_ root: Int, _ temporary: Int64, _ key: Int64, count: Int64) -> TemporaryKeys.Run
  {
    let first = TemporaryKeys.Run(root: root, temporary: temporary, key: key)
    return (1..<count).reduce(first) { run, offset in
      let next = TemporaryKeys.Run(root: root, temporary: temporary - offset, key: key + offset)
      return run.joined(with: next) ?? first
    }
  }

  @Test(arguments: PropertyRuns.seeds(usually: 20))
  func `runs in any order say what a dictionary says`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var keys = TemporaryKeys()
    var expected: [[Int64: Int64]] = [[:], [:]]
    var runs: [TemporaryKeys.Run] = []
    for root in 0...1 {
      var (temporary, key) = (Int64(-1), Int64(1))
      for _ in 0..<100 {
        // Some runs follow the one before, in one or both keys.
        temporary -= Int64.random(in: 0...1, using: &random)
        key += Int64.random(in: 0...1, using: &random)
        let count = Int64.random(in: 1...5, using: &random)
        runs.append(run(root, temporary, key, count: count))
        for offset in 0..<count { expected[root][temporary - offset] = key + offset }
        temporary -= count
        key += count
      }
    }
    if seed % 2 == 0 { runs.shuffle(using: &random) }
    for run in runs { keys.append(run) }
    for root in 0...1 {
      for temporary in -700...(-1) as ClosedRange<Int64> {
        #expect(keys.key(root: root, temporary: temporary) == expected[root][temporary])
      }
    }
    #expect(keys.key(root: 2, temporary: -1) == nil)
  }

  @Test func `the key of a merged object is replaced when its survivor is merged in turn`() {
    var keys = TemporaryKeys()
    keys.append(.init(root: 0, temporary: -7, key: 3))
    keys.append(.init(root: 0, temporary: -7, key: 9))
    #expect(keys.key(root: 0, temporary: -7) == 9)
  }

  @Test func `a table of runs that do not follow each other stays small, and knows the latest`() {
    var keys = TemporaryKeys()
    let count = Int64(TemporaryKeys.limit) * 3
    for number in 1...count { keys.append(.init(root: 0, temporary: -number, key: number * 2)) }
    let known = (1...count).filter { keys.key(root: 0, temporary: -$0) != nil }
    #expect(known.count <= TemporaryKeys.limit)
    #expect(known.count >= TemporaryKeys.limit / 2)
    #expect(known == Array((count - Int64(known.count) + 1)...count))
    #expect(keys.key(root: 0, temporary: -count) == count * 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `a relationship names a new object by its set-aside key, and others by their temporary ones`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let authors = (0..<2).map { _ in Author(context: context) }
    let commits = authors.map { author in
      let commit = Commit(context: context)
      commit.author = author
      return commit
    }
    try context.obtainPermanentIDs(for: [authors[0]])
    let ids = try commits.flatMap { try $0.objectIDs(forRelationshipNamed: "author") }
    #expect(ids == authors.map(\.objectID))
    #expect(ids.map(\.isTemporaryID) == [false, true])
  }

  @Test(arguments: StoreKind.allCases)
  func `a set-aside key is forgotten once it is the object's`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let authors = (0..<3).map { _ in Author(context: context) }
    for (number, author) in authors.enumerated() { author.name = "author \(number)" }
    let temporary = authors.map(\.objectID)
    try context.obtainPermanentIDs(for: authors)
    let permanent = authors.map(\.objectID)
    #expect(!context.merging.published.isEmpty)
    try context.save()
    #expect(context.merging.published.isEmpty)
    #expect(authors.map(\.objectID) == permanent)
    for (number, author) in authors.enumerated() {
      #expect(try context.existingObject(with: permanent[number]) === author)
      #expect(try context.existingObject(with: temporary[number]) === author)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a set-aside key is forgotten once its object cannot be saved any more`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let departures: [(Author) throws -> Void] = [
      { _ in context.rollback() },
      { _ in context.reset() },
      { author in
        context.delete(author)
        try context.save()
      },
    ]
    for leave in departures {
      let author = Author(context: context)
      try context.obtainPermanentIDs(for: [author])
      let id = author.objectID
      #expect(!context.merging.published.isEmpty)
      try leave(author)
      #expect(context.merging.published.isEmpty)
      #expect(context.registeredObject(for: id) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a set-aside key is forgotten with the child that alone has its object`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let mine = Author(context: context)
    var sheet: ManagedObjectContext? = ManagedObjectContext(parent: context)
    if let sheet {
      let draft = Author(context: sheet)
      let copy = try sheet.object(Author.self, with: mine.objectID)
      copy.name = "Eve"
      try sheet.obtainPermanentIDs(for: [draft, copy])
    }
    let id = mine.objectID
    #expect(!id.isTemporaryID)
    sheet = nil
    #expect(mine.objectID == id)
    context.delete(mine)
    try context.save()
    #expect(context.merging.published.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `a set-aside key is forgotten while there is a child that has never had its object`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let child = ManagedObjectContext(parent: context)
    let departures: [(Author) throws -> Void] = [
      { _ in context.rollback() },
      { author in
        context.delete(author)
        try context.save()
      },
    ]
    for leave in departures {
      let author = Author(context: context)
      try context.obtainPermanentIDs(for: [author])
      try leave(author)
      #expect(context.merging.published.isEmpty)
      #expect(try child.count(for: Author.all) == 0)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a child's rollback forgets the set-aside keys of its own new objects only`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let child = ManagedObjectContext(parent: context)
    let author = Author(context: context)
    author.name = "Ada"
    try context.obtainPermanentIDs(for: [author])
    let id = author.objectID
    let mine = try #require(try child.existingObject(with: id) as? Author)
    mine.name = "Eve"
    try child.obtainPermanentIDs(for: [Author(context: child)])
    child.rollback()
    #expect(mine.objectID == id && author.objectID == id)
    try context.save()
    #expect(author.objectID == id)
    #expect(context.merging.published.isEmpty)
  }
}
