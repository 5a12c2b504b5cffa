// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialCoreDataNames
import Testing

/// Both spellings in one file: Foundation's classes and the library's types.
@Suite struct `Foundation's classes` {
  @Test func `a request takes a predicate of either type`() throws {
    let context = try makeCommits()
    let word = "bug"
    var request = FetchRequest<Commit>(entityName: "Commit")
    request.predicate = FetchPredicate(NSPredicate(format: "author.name == 'Joe Groff'"))
    #expect(try context.fetch(request).map(\.sha) == ["2"])
    request.predicate = NSPredicate(format: "author.name == 'Joe Groff'")
    #expect(try context.fetch(request).map(\.sha) == ["2"])
    request.predicate = "message CONTAINS \(word)"
    #expect(try context.fetch(request).map(\.sha) == ["0"])
    request.predicate = nil
    request.sortDescriptors = [FetchSort("sha", ascending: false)]
    #expect(try context.fetch(request).map(\.sha) == ["3", "2", "1", "0"])
  }

  @Test(arguments: [
    ("age > %@ AND name IN %@", [36, ["Ada"]] as [any Sendable], "age > 36 AND name IN {\"Ada\"}"),
    ("%K == %d", ["a.b", 7], "a.b == 7"), ("TRUEPREDICATE", [], "TRUEPREDICATE"),
  ])
  func `a format becomes the predicate that it describes`(
    format: String,
    arguments: [any Sendable],
    expected: String
  ) throws {
    let predicate = FetchPredicate(NSPredicate(format: format, argumentArray: arguments))
    #expect(predicate == (try FetchPredicate(parsing: expected)))
  }

  @Test func `arguments of Foundation's classes are bound`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 7)
    let predicate = FetchPredicate(
      NSPredicate(
        format: "a == %@ AND b == %@ AND c == %@",
        date as NSDate,
        NSNumber(value: 3),
        "x" as NSString
      )
    )
    #expect(predicate == "a == \(date) AND b == 3 AND c == 'x'")
  }

  @Test func `compounds and constants are understood`() {
    let a = NSPredicate(format: "a == 1")
    let b = NSPredicate(format: "b == 2")
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
    let either = NSCompoundPredicate(orPredicateWithSubpredicates: [a, NSPredicate(value: false)])
    let neither = NSCompoundPredicate(notPredicateWithSubpredicate: both)
    let none = NSCompoundPredicate(orPredicateWithSubpredicates: [])
    #expect(FetchPredicate(both) == "a == 1 AND b == 2")
    #expect(FetchPredicate(either) == "a == 1 OR FALSEPREDICATE")
    #expect(FetchPredicate(neither) == "NOT (a == 1 AND b == 2)")
    #expect(FetchPredicate(none) == .value(false))
    #expect(FetchPredicate(NSPredicate(value: true)) == .value(true))
  }

  @Test func `a block and a wrong format are errors of the fetch`() throws {
    let context = try makeCommits()
    var request = Commit.createFetchRequest()
    request.predicate = NSPredicate { _, _ in true }
    #expect {
      try context.fetch(request)
    } throws: {
      "\($0)".contains("a predicate with a block cannot be a condition of a fetch")
    }
    request.predicate = NSPredicate(format: "sha ==")
    #expect {
      try context.fetch(request)
    } throws: {
      "\($0)".contains("the predicate ends too early at column 7")
    }
  }

  @Test func `a predicate with a format is evaluated in memory`() throws {
    let context = try makeCommits()
    let commits = try context.fetch(Commit.all)
    let fixes = NSPredicate(format: "message CONTAINS[c] 'fix' AND author.name == $name")
    let found = commits.filter {
      fixes.evaluate(with: $0, substitutionVariables: ["name": "Joe Groff"])
    }
    #expect(found.map(\.sha) == ["2"])
    #expect(NSPredicate(format: "SELF.length == 3").evaluate(with: "abc"))
    #expect(NSPredicate(format: "age > 3").evaluate(with: ["age": 4]))
    #expect(!NSPredicate(format: "age >").evaluate(with: ["age": 4]))
    #expect(!NSPredicate(format: "SELF == 1").evaluate(with: Issue.self))
  }

  @Test func `a sort descriptor sorts by its key`() throws {
    let context = try makeCommits()
    let descriptor = NSSortDescriptor(key: "author.name", ascending: false)
    #expect(descriptor.key == "author.name")
    #expect(FetchSort(descriptor) == FetchSort("author.name", ascending: false))
    #expect(
      FetchSort(NSSortDescriptor(keyPath: \Commit.date, ascending: true)) == FetchSort("date")
    )
    let sorted = try context.fetch(Commit.all).sorted {
      descriptor.compare($0, to: $1) == .orderedAscending
    }
    #expect(sorted.first?.sha == "2")
    #expect(descriptor.compare("no object", to: 7) == .orderedSame)
  }

  @Test func `a sort descriptor takes a property that is not comparable`() throws {
    let context = try NSPersistentContainer.inMemory(FamilyMember.self, Movie.self)
      .newBackgroundContext()
    for (title, popularity) in [("a", 2), ("b", nil), ("c", 1)] as [(String, Double?)] {
      let movie = Movie(context: context)
      movie.title = title
      movie.popularity = popularity
    }
    let descriptor = NSSortDescriptor(keyPath: \Movie.popularity, ascending: true)
    #expect(descriptor.key == "popularity")
    var request = NSFetchRequest<Movie>(entityName: "Movie")
    request.sortDescriptors = [descriptor]
    #expect(try context.fetch(request).map(\.title) == ["b", "c", "a"])
  }

  @Test func `a request gives what it was given`() {
    var request = Commit.createFetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "date", ascending: false)]
    request.predicate = NSPredicate(format: "sha == 'a'")
    let sorts: [NSSortDescriptor]? = request.sortDescriptors
    let predicate: NSPredicate? = request.predicate
    #expect(sorts?.map(\.key) == ["date"])
    #expect(predicate.map { FetchPredicate($0) } == "sha == 'a'")
    request.sortDescriptors = nil
    let none: [NSSortDescriptor]? = request.sortDescriptors
    #expect(none == nil)
  }
}
