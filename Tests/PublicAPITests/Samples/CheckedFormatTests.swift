// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Predicates whose format the compiler has read, over both stores.
@Suite("Checked formats")
struct CheckedFormatTests {
  private static func makeContext(
    _ kind: StoreKind,
    _ folder: TemporaryFolder
  ) throws -> ManagedObjectContext {
    let container = try PersistentContainer(
      name: "Checked",
      entities: Commit.self,
      Author.self,
      store: kind.description(in: folder)
    )
    let context = container.newBackgroundContext()
    for (number, message) in ["Fix the parser", "Add a test", "fix a crash"].enumerated() {
      let commit = Commit(context: context)
      commit.sha = "\(number)"
      commit.message = message
      commit.date = Date(timeIntervalSinceReferenceDate: Double(number))
      let author = Author(context: context)
      author.name = "Author \(number)"
      commit.author = author
    }
    try context.save()
    return context
  }

  private func shas(_ predicate: FetchPredicate, _ context: ManagedObjectContext) throws -> [String]
  {
    try context.fetch(Commit.filter(predicate).sorted(by: \.sha)).map(\.sha)
  }

  @Test(arguments: StoreKind.allCases)
  func `find what the same format finds`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let context = try Self.makeContext(kind, folder)
    let word = "fix"
    let shas = ["0", "1"]
    #expect(
      try self.shas(#FetchPredicate(Commit.self, "message CONTAINS[c] \(word)"), context)
        == ["0", "2"]
    )
    #expect(
      try self.shas(
        #FetchPredicate(
          Commit.self,
          """
          message CONTAINS[c] \(word)
            AND author.name != 'Author 2' AND sha IN \(shas)
          """
        ),
        context
      ) == ["0"]
    )
    #expect(
      try self.shas(
        #FetchPredicate(Commit.self, #"author.commits.@count == 1 AND message == "Add a test""#),
        context
      ) == ["1"]
    )
    let found = try context.fetch(
      Author.filter(
        #FetchPredicate(
          Author.self,
          "ANY commits.message BEGINSWITH \(word) AND SUBQUERY(commits, $c, $c.sha == '2').@count > 0"
        )
      )
    )
    #expect(found.map(\.name) == ["Author 2"])
  }

  @Test func `equal what the literal alone gives`() {
    let name = "O'Brien \"x\" %@"
    let plain: FetchPredicate = "author.name == \(name) AND author.name.length > 3"
    let checked = #FetchPredicate(Commit.self, "author.name == \(name) AND author.name.length > 3")
    #expect(checked == plain)
    let key = "message"
    #expect(#FetchPredicate(Commit.self, "\(key: key) == 'a'") == "message == 'a'")
  }
}
