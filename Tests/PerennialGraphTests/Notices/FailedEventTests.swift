// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// Events that a job is to end, and cannot.
@Suite("SEMANTICS 1E.1: events that could not be ended by themselves")
struct FailedEventTests {
  @Test(arguments: StoreKind.allCases)
  func `1E.1 after an end that failed the next change of the same objects asks for another`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let log = EventLog(context)
    var asked = 0
    context.endsEvents { asked += 1 }
    let (one, two) = (Commit(context: context), Commit(context: context))
    (one.sha, two.sha) = ("a", "a")
    #expect(asked == 1)
    context.endEventByItself()
    #expect(asked == 1 && log.events.isEmpty)
    one.sha = "b"
    #expect(asked == 2)
    two.sha = "c"
    #expect(asked == 2)
    context.endEventByItself()
    let (changes, count) = log.takeEvent()
    #expect(count == 1)
    #expect(changes?.inserted == [one, two])
    #expect(changes?.updated.isEmpty == true)
    one.message = "new"
    #expect(asked == 3)
    context.endEventByItself()
    #expect(log.takeEvent().changes?.updated == [one])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 an end that fails again and again is asked for each time, and tells all at last`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    let log = EventLog(cast.context)
    var asked = 0
    cast.context.endsEvents { asked += 1 }
    let twin = Commit(context: cast.context)
    let other = Commit(context: cast.context)
    (twin.sha, other.sha) = ("twin", "twin")
    for number in 1...3 {
      #expect(asked == number)
      cast.context.endEventByItself()
      #expect(log.events.isEmpty)
      cast.author.email = "\(number)"
    }
    #expect(cast.author.changedValuesForCurrentEvent() == ["email": .string("")])
    other.sha = "other"
    #expect(asked == 4)
    cast.context.endEventByItself()
    let (changes, count) = log.takeEvent()
    #expect(count == 1)
    #expect(changes?.inserted == [twin, other])
    #expect(changes?.updated == [cast.author])
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 an event with a misuse ends once the misuse has been thrown`(
    _ kind: StoreKind
  ) throws {
    let cast = try Cast(kind)
    let log = EventLog(cast.context)
    let elsewhere = cast.bench.context()
    defer { withExtendedLifetime(elsewhere) {} }
    let stranger = Author(context: elsewhere)
    var asked = 0
    cast.context.endsEvents { asked += 1 }
    cast.commit.author = stranger
    cast.commit.message = "a"
    #expect(asked == 1)
    cast.context.endEventByItself()
    #expect(log.events.isEmpty)
    cast.commit.message = "b"
    #expect(asked == 2)
    #expect(code { try cast.context.processPendingChanges() } == .foreignObject)
    #expect(log.events.isEmpty)
    cast.context.endEventByItself()
    #expect(log.takeEvent().changes?.updated == [cast.commit])
  }
}
