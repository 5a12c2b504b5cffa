// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// An object that notes when it becomes a fault.
final class Phoenix: ManagedObject, ManagedEntity {
  var events: [String] = []
  var title: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var parent: Phoenix? {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var brood: ToMany<Phoenix> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Phoenix.self,
        named: "Phoenix",
        superclass: ManagedObject.self,
        properties: [
          .of("title", String.self, default: ""),
          .of("parent", (Phoenix?).self, inverse: "brood"),
          .of("brood", ToMany<Phoenix>.self, inverse: "parent"),
        ]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { 2 }

  override func willTurnIntoFault() { events.append("will \(title) \(isFault)") }
  override func didTurnIntoFault() { events.append("did \(isFault)") }
  override func awake(fromSnapshotEvents events: SnapshotEvents) {
    self.events.append("awake \(events == .refresh)")
  }
}

@Suite("SEMANTICS 1D.4, 1F.3: turning into a fault")
struct TurningIntoFaultTests {
  @Test(arguments: StoreKind.allCases)
  func `1F.3 an object is told before and after, with its values before`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 0, classes: [Phoenix.self])
    let context = bench.context()
    let phoenix = Phoenix(context: context)
    phoenix.title = "saved"
    try context.save()
    phoenix.title = "changed"
    phoenix.events = []
    context.refresh(phoenix, mergeChanges: false)
    #expect(phoenix.events == ["will changed false", "did true"])
    #expect(phoenix.title == "saved")
    phoenix.events = []
    context.refresh(phoenix, mergeChanges: true)
    #expect(phoenix.events == ["awake true"])
    phoenix.events = []
    context.refreshAllObjects()
    #expect(phoenix.events == ["will saved false", "did true"])
    context.refreshAllObjects()
    #expect(phoenix.events.count == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a fetch that finds a newer row tells the object`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 0, classes: [Phoenix.self])
    let (context, other) = (bench.context(), bench.context())
    let phoenix = Phoenix(context: context)
    phoenix.title = "old"
    try context.save()
    let twin = try other.object(Phoenix.self, with: phoenix.objectID)
    for title in ["new", "newer"] {
      twin.title = title
      try other.save()
      phoenix.events = []
      if title == "new" { _ = try context.fetch(Phoenix.all) }
      _ = try context.first(Phoenix.filter("title == \(title)"))
      #expect(phoenix.title == title && phoenix.events == ["awake true"])
      _ = try context.fetch(Phoenix.all)
      #expect(phoenix.events.count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.3 a read of members that finds a newer row tells the object, once and at once`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 0, classes: [Phoenix.self])
    let (context, other) = (bench.context(), bench.context())
    context.automaticallyMergesChangesFromParent = false
    let (parent, child) = (Phoenix(context: context), Phoenix(context: context))
    child.parent = parent
    try context.save()
    let twin = try other.object(Phoenix.self, with: child.objectID)
    for title in ["new", "newer"] {
      twin.title = title
      try other.save()
      child.events = []
      context.refresh(parent, mergeChanges: false)
      #expect(Array(parent.brood) == [child])
      #expect(child.title == title && child.events == ["awake true"])
      _ = try context.fetch(Phoenix.filter("title == ''"))
      #expect(child.events.count == 1)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 contexts hold no objects after a reset, whatever was loaded`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    weak let author = try context.fetch(Commit.all).compactMap { commit in
      _ = commit.author?.name
      return commit.author
    }.first
    #expect(author != nil)
    context.reset()
    #expect(author == nil)
  }
}
