// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// SEMANTICS 1F.5: what changed since the last event.
@Suite("Changed values of the current event")
struct CurrentEventTests {
  @Test(arguments: StoreKind.allCases)
  func `1F.5 the old values of the event are told, whatever was changed before it`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    let token = cast.context.onObjectsDidChange { _ in }
    let commit = cast.commit

    commit.message = "First"
    commit.author = nil
    #expect(
      commit.changedValuesForCurrentEvent()
        == ["message": .string(""), "author": .objectID(cast.author.objectID)]
    )
    try cast.context.processPendingChanges()
    #expect(commit.changedValuesForCurrentEvent().isEmpty)
    commit.message = "Second, with a text that needs more room than the first one had"
    commit.size = 1.5

    #expect(
      commit.changedValuesForCurrentEvent() == ["message": .string("First"), "size": .null]
    )
    #expect(Set(commit.changedValues().keys) == ["message", "author", "size"])
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.5 a value that comes back and a transient one are no changes`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    let token = cast.context.onObjectsDidChange { _ in }

    cast.commit.message = "Other"
    cast.commit.message = ""
    cast.commit.scratch = 7

    #expect(cast.commit.changedValuesForCurrentEvent().isEmpty)
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.5 a new object's old values are its defaults`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let token = context.onObjectsDidChange { _ in }
    let author = Author(context: context)
    author.name = "Joe"

    #expect(author.changedValuesForCurrentEvent() == ["name": .null])
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.5 a save ends the event`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)
    let token = cast.context.onObjectsDidChange { _ in }

    cast.author.name = "Ann"
    try cast.context.save()
    #expect(cast.author.changedValuesForCurrentEvent().isEmpty)
    cast.author.name = "Bea"

    #expect(cast.author.changedValuesForCurrentEvent() == ["name": .string("Ann")])
    token.cancel()
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.5 where nobody listens the event lasts from save to save`(_ kind: StoreKind) throws {
    let cast = try Cast(kind)

    cast.author.name = "Ann"
    try cast.context.processPendingChanges()
    cast.author.email = "ann@example.org"

    #expect(
      cast.author.changedValuesForCurrentEvent() == ["name": .string("Joe"), "email": .string("")]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.5 an event that begins with pending changes starts from them`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    cast.author.name = "Ann"

    let token = cast.context.onObjectsDidChange { _ in }
    #expect(cast.author.changedValuesForCurrentEvent().isEmpty)
    cast.author.name = "Bea"

    #expect(cast.author.changedValuesForCurrentEvent() == ["name": .string("Ann")])
    token.cancel()
    cast.author.name = "Cleo"
    #expect(cast.author.changedValuesForCurrentEvent() == ["name": .string("Joe")])
  }
}
