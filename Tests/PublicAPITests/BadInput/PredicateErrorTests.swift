// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What a fetch says of predicates and sorts that are wrong, over both stores.
@Suite("Bad predicates")
struct PredicateErrorTests {
  /// A predicate and what the fetch must throw.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var predicate: FetchPredicate
    var code: PerennialError.Code
    var words: [String]

    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "an operator is misspelt",
      predicate: "message CONTAIN[c] 'fix'",
      code: .predicateFormat,
      words: ["CONTAIN", "column 9", "CONTAINS"]
    ),
    Case(
      name: "a quote is not closed",
      predicate: "message == 'fix",
      code: .predicateFormat,
      words: ["column 12"]
    ),
    Case(
      name: "the right side is missing",
      predicate: "message ==",
      code: .predicateFormat,
      words: ["end"]
    ),
    Case(
      name: "an argument is missing",
      predicate: FetchPredicate(format: "message == %@ AND sha == %@", "fix"),
      code: .predicateFormat,
      words: ["argument"]
    ),
    Case(
      name: "there is an argument too many",
      predicate: FetchPredicate(format: "message == %@", "fix", "bug"),
      code: .predicateFormat,
      words: ["argument"]
    ),
    Case(
      name: "an argument has a type that predicates cannot hold",
      predicate: FetchPredicate(format: "message == %@", CommandLine.self),
      code: .predicateFormat,
      words: ["type"]
    ),
    Case(
      name: "a value stands inside quotes",
      predicate: "message == '\("fix")'",
      code: .predicateFormat,
      words: ["quotes"]
    ),
    Case(
      name: "a key is misspelt",
      predicate: "mesage == 'fix'",
      code: .unknownName,
      words: ["'Commit'", "'mesage'", "'message'"]
    ),
    Case(
      name: "a key of a related object is misspelt",
      predicate: "author.nam == 'Joe'",
      code: .unknownName,
      words: ["'Author'", "'nam'", "'name'"]
    ),
    Case(
      name: "text is ordered against a date",
      predicate: "date > 'yesterday'",
      code: .typeMismatch,
      words: ["ordered", "CAST"]
    ),
    Case(
      name: "some text is ordered against a number",
      predicate: "ANY author.commits.message > 5",
      code: .typeMismatch,
      words: ["ordered", "author.commits.message > a value"]
    ),
    Case(
      name: "every text is ordered against a number",
      predicate: "ALL author.commits.message <= 5",
      code: .typeMismatch,
      words: ["ordered", "author.commits.message <= a value"]
    ),
    Case(
      name: "no text is ordered against a number",
      predicate: "NONE author.commits.message < 5",
      code: .typeMismatch,
      words: ["ordered", "CAST"]
    ),
    Case(
      name: "text lies between numbers",
      predicate: "message BETWEEN {1, 5}",
      code: .typeMismatch,
      words: ["ordered", "message BETWEEN"]
    ),
    Case(
      name: "a date lies between a date and a text",
      predicate: "date BETWEEN {date, message}",
      code: .typeMismatch,
      words: ["ordered", "date BETWEEN"]
    ),
    Case(
      name: "a variable has no value",
      predicate: "message == $WORD",
      code: .predicateEvaluation,
      words: ["$WORD"]
    ),
    Case(
      name: "a range has three ends",
      predicate: "date BETWEEN {1, 2, 3}",
      code: .predicateEvaluation,
      words: ["BETWEEN", "two"]
    ),
    Case(
      name: "a pattern is no regular expression",
      predicate: "message MATCHES '('",
      code: .predicateEvaluation,
      words: ["regular expression"]
    ),
  ]

  @Test(arguments: cases, StoreKind.allCases)
  func `the fetch throws and names the culprit`(_ bad: Case, _ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()
    let error = try failure { _ = try context.fetch(Commit.filter(bad.predicate)) }
    #expect(error.code == bad.code)
    let text = error.message + " " + error.recovery
    for word in bad.words { #expect(text.contains(word), "\(text)") }
    #expect(throws: PerennialError.self) { try context.count(for: Commit.filter(bad.predicate)) }
    #expect(try context.fetch(Commit.all).count == 3)
  }

  @Test(arguments: ["", "(", "message ==", "message == %@", "%K == 1", "message == 'a' garbage"])
  func `text made at run time is refused at once`(_ text: String) throws {
    let error = try failure { _ = try FetchPredicate(parsing: text) }
    #expect(error.code == .predicateFormat)
    #expect(!error.message.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `sorts by what is no attribute are refused`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    for key in ["datee", "author", "author.nam", "author.commits", "", "."] {
      let request = Commit.all.sorted(by: FetchSort(key))
      let error = try failure { _ = try context.fetch(request) }
      #expect(error.code == .unknownName, "\(key)")
    }
  }

  @Test func `a sort by a computed property is refused`() throws {
    let container = try PersistentContainer.inMemory(Ticket.self)
    let context = container.newBackgroundContext()
    let error = try failure { _ = try context.fetch(Ticket.sorted(by: \.key)) }
    #expect(error.code == .unknownName)
  }

  @Test func `an error keeps what was composed with it from being fetched`() throws {
    let store = try TourStore(.inMemory)
    let context = store.container.newBackgroundContext()
    let bad: FetchPredicate = "message =="
    for predicate in [bad && "sha == 'a'", "sha == 'a'" || bad, !bad] {
      let error = try failure { _ = try context.fetch(Commit.filter(predicate)) }
      #expect(error.code == .predicateFormat)
    }
  }
}
