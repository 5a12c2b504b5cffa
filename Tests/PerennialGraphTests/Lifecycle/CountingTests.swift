// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Synchronization
import Testing

/// An object whose class counts its living instances.
final class Counted: ManagedObject, ManagedEntity {
  /// Counts of the test that binds it.
  final class Counter: Sendable {
    let living = Mutex(0)
    let made = Mutex(0)
  }

  @TaskLocal static var counter: Counter?
  private let mine: Counter?

  var sha: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var next: Counted? {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Counted.self,
        named: "Counted",
        superclass: ManagedObject.self,
        uniqueness: [["sha"]],
        properties: [.of("sha", String.self), .of("next", (Counted?).self)]
      )
    }
    return Storage.entity
  }

  required init(_seed seed: ObjectSeed) {
    mine = Self.counter
    super.init(_seed: seed)
    mine?.living.withLock { $0 += 1 }
    mine?.made.withLock { $0 += 1 }
  }

  deinit { mine?.living.withLock { $0 -= 1 } }
}

@Suite("SEMANTICS 1F: a class that counts its instances")
struct CountingTests {
  @Test(arguments: StoreKind.allCases)
  func `1F.1 instances are right through insert, fetch, fault, merge and delete`(
    _ kind: StoreKind
  ) throws {
    let counter = Counted.Counter()
    try Counted.$counter.withValue(counter) {
      let bench = try Bench(
        kind,
        model: ManagedObjectModel(Counted.entity),
        classes: [Counted.self]
      )
      func living() -> Int { counter.living.withLock { $0 } }
      do {
        let context = bench.context()
        let (a, b) = (Counted(context: context), try context.insert(entityNamed: "Counted"))
        #expect(living() == 2)
        let second = try #require(b as? Counted)
        (a.sha, second.sha, a.next) = ("a", "b", second)
        try context.save()
        #expect(living() == 2)
      }
      #expect(living() == 0)
      do {
        let context = bench.context()
        let first = try #require(try context.first(Counted.filter(format: "sha == 'a'")))
        #expect(living() == 1)
        let fault = try #require(first.next)
        #expect(living() == 2)
        #expect(fault.sha == "b")
        #expect(try context.fetch(Counted.all).count == 2)
        #expect(living() == 2)
        context.delete(fault)
        try context.save()
        #expect(living() == 2)
      }
      #expect(living() == 0)
      do {
        let context = bench.context()
        context.mergePolicy = .mergeByPropertyObjectTrump
        let twin = Counted(context: context)
        twin.sha = "a"
        try context.save()
        #expect(twin.isForwarding)
        #expect(try context.count(for: Counted.all) == 1)
        #expect(living() == 2)
      }
      #expect(living() == 0)
    }
  }
}
