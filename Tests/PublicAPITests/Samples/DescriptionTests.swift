// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// What `print` and `dump` show of objects.
@Suite("Descriptions of objects")
struct DescriptionTests {
  @Test(arguments: StoreKind.allCases)
  func `an object says its ID, its state and its values`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    let context = store.container.newBackgroundContext()
    let author = Author(context: context)
    author.name = "Ada \"A.\""
    let new = "\(author)"
    #expect(new.hasPrefix("\(author.objectID) (new, "))
    #expect(new.contains("name: \"Ada \\\"A.\\\"\""))
    #expect(new.contains("commits: 0 objects"))
    let commit = Commit(context: context)
    commit.sha = "sha0"
    commit.message = ""
    commit.date = Date(timeIntervalSinceReferenceDate: 0)
    commit.author = author
    try context.save()
    #expect("\(commit)".hasPrefix("\(commit.objectID) (sha: \"sha0\""))
    #expect("\(commit)".contains("author: \(author.objectID)"))
    commit.message = String(repeating: "a", count: 200)
    #expect("\(commit)".hasPrefix("\(commit.objectID) (changed, "))
    #expect("\(commit)".contains("\"\(String(repeating: "a", count: 100))\"…"))
    context.delete(commit)
    #expect("\(commit)".hasPrefix("\(commit.objectID) (deleted, "))
    try context.save()
    #expect("\(commit)" == "\(commit.objectID) (gone)")
  }

  @Test(arguments: StoreKind.allCases)
  func `nothing is loaded for a description`(_ kind: StoreKind) async throws {
    let store = try TourStore(kind)
    try await store.addCommits()
    let context = store.container.newBackgroundContext()
    let commit = try #require(try context.first(Commit.filter("sha == 'sha0'")))
    let author = try #require(commit.author)
    #expect("\(author)" == "\(author.objectID) (fault)")
    #expect(author.isFault)
    #expect(author.name == "Ada")
    let loaded = store.container.counters.statements
    #expect("\(author)".contains("commits: fault"))
    #expect(store.container.counters.statements == loaded)
    #expect(author.commits.map(\.sha) == ["sha0"])
    #expect("\(author)".contains("commits: 1 object)"))
  }

  @Test func `dump shows the properties`() throws {
    let store = try TourStore(.inMemory)
    let context = store.container.newBackgroundContext()
    let author = Author(context: context)
    author.name = "Ada"
    var text = ""
    dump(author, to: &text)
    #expect(text.contains("- name: \"Ada\""))
    #expect(!text.contains("_row"))
  }
}
