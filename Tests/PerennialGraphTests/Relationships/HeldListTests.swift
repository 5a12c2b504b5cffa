// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Observation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Synchronization
import Testing

/// Lists that a context holds because a position of them was read.
@Suite("SEMANTICS 1C.4: ordered relationships that are read by position")
struct HeldListTests {
  private final class Told: Sendable {
    let count = Atomic(0)
    var isTold: Bool { count.load(ordering: .relaxed) > 0 }
  }

  /// A rack's jars by their positions.
  private func names(_ rack: Rack) -> [String] { rack.jars.indices.map { rack.jars[$0].name } }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `1C.4 positions are those of the list when an edit decides who is in it`(
    _ kind: StoreKind,
    isReadBefore: Bool
  ) throws {
    let bench = try Bench.racks(kind, racks: 2, jars: 2)
    let context = bench.context()
    context.batchesFaults = false
    context.undoManager = ContextUndoManager()
    let racks = try context.racks()
    let jar = racks[1].jars[0]
    let other = bench.context()
    let theirs = try other.racks()
    theirs[0].jars.append(theirs[1].jars[0])
    try other.save()
    if isReadBefore { #expect(names(racks[0]) == racks[0].jars.map(\.name)) }
    jar.name = "edited"
    try context.processPendingChanges()
    // A row that was read before the edit has the jar where the other context has put it.
    #expect(names(racks[0]) == ["0.0", "0.1"] + (isReadBefore ? ["edited"] : []))
    #expect(names(racks[1]) == (isReadBefore ? [] : ["edited"]) + ["1.1"])
    context.undo()
    #expect(!jar.hasChanges)
    for rack in racks {
      let jars = rack.jars.map(\.name)
      #expect(names(rack) == jars)
      #expect(rack.jars.endIndex == jars.count && rack.jars.last?.name == jars.last)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.4 lists that are held have no more than 4,096 objects, and none after a save`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench.racks(kind, racks: 3, jars: 3_000)
    let context = bench.context()
    context.batchesFaults = false
    weak var last: Jar?
    do {
      for rack in try context.racks() { last = rack.jars[2_999] }
    }
    #expect(context.registeredObjects.count <= 4_096)
    #expect(last?.name == "2.2999")
    do {
      context.delete(try #require(last))
      try context.save()
    }
    #expect(last == nil)
  }

  @Test(arguments: StoreKind.allCases, [true, false])
  func `1F.7 a property of an object at a position is told, also when the list was held before`(
    _ kind: StoreKind,
    isHeld: Bool
  ) throws {
    let bench = try Bench.racks(kind, racks: 6, jars: 2)
    let context = bench.context()
    context.isObserving = true
    context.batchesFaults = false
    let racks = try context.racks()
    if isHeld { #expect(racks[0].jars[0].name == "0.0") }
    let told = Told()
    withObservationTracking {
      _ = racks[0].jars[1].name
    } onChange: {
      told.count.add(1, ordering: .relaxed)
    }
    // The others push the first list out.
    for (number, rack) in racks.enumerated().dropFirst() {
      #expect(rack.jars[0].name == "\(number).0")
    }
    racks[0].jars[1].name = "new"
    #expect(told.isTold)
  }
}
