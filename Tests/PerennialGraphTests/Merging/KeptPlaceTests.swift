// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// A disc has its cuts in order; a cut is on one disc at most.
private final class Disc: ManagedObject, ManagedEntity {
  var cuts: OrderedToMany<Cut> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Disc.self,
        named: "Disc",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""),
          .of("cuts", OrderedToMany<Cut>.self, inverse: "disc"),
        ]
      )
    }
    return Storage.entity
  }
}

/// A mix has its cuts in order; a cut is in any number of mixes.
private final class Mix: ManagedObject, ManagedEntity {
  var cuts: OrderedToMany<Cut> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Mix.self,
        named: "Mix",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""),
          .of("cuts", OrderedToMany<Cut>.self, inverse: "mixes"),
        ]
      )
    }
    return Storage.entity
  }
}

/// A queue has its cuts in order, and they do not know of it.
private final class Queue: ManagedObject, ManagedEntity {
  var cuts: OrderedToMany<Cut> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Queue.self,
        named: "Queue",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""), .of("cuts", OrderedToMany<Cut>.self),
        ]
      )
    }
    return Storage.entity
  }
}

/// A cut is called by its code, which no other has.
private final class Cut: ManagedObject, ManagedEntity {
  var code: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var title: String {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var disc: Disc? {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var mixes: ToMany<Mix> { _get(0) }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Cut.self,
        named: "Cut",
        superclass: ManagedObject.self,
        uniqueness: [["code"]],
        properties: [
          .of("code", String.self), .of("title", String.self, default: ""),
          .of("disc", (Disc?).self, inverse: "cuts"),
          .of("mixes", ToMany<Mix>.self, inverse: "cuts"),
        ]
      )
    }
    return Storage.entity
  }
}

/// A store with cuts, and a context that merges new ones into them.
private struct Studio {
  let bench: Bench
  let context: ManagedObjectContext

  init(_ kind: StoreKind, stored codes: [String] = [], cutsFirst: Bool = false) throws {
    let classes: [ManagedObject.Type] =
      cutsFirst
      ? [Cut.self, Disc.self, Mix.self, Queue.self]
      : [Disc.self, Mix.self, Queue.self, Cut.self]
    bench = try Bench(
      kind,
      model: ManagedObjectModel(entities: classes.map { $0.entity }),
      classes: classes
    )
    let first = bench.context()
    for code in codes { Cut(context: first).code = code }
    try first.save()
    context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
  }

  /// A new cut.
  func cut(_ code: String) -> Cut {
    let cut = Cut(context: context)
    cut.code = code
    return cut
  }

  /// The codes of the members of every owner, as another context reads them.
  func stored<Owner: ManagedEntity>(
    _ members: KeyPath<Owner, OrderedToMany<Cut>>
  ) throws -> [[String]] {
    let reader = bench.context()
    defer { withExtendedLifetime(reader) {} }
    return try reader.fetch(Owner.all).map { $0[keyPath: members].map(\.code) }
  }
}

/// An object that stands for another has that one's place in every order.
@Suite("SEMANTICS 1M.2: merged objects keep their places in ordered relationships")
struct KeptPlaceTests {
  private static let codes = ["A", "B", "C"]

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a stored object takes the place of its new twin in a list that was assigned`(
    _ kind: StoreKind
  ) throws {
    let studio = try Studio(kind, stored: ["A"])
    let disc = Disc(context: studio.context)
    let (a, b) = (studio.cut("A"), studio.cut("B"))
    disc.cuts = [a, b]
    try studio.context.save()
    #expect(a.isForwarding && !b.isForwarding)
    #expect(disc.cuts.map(\.code) == ["A", "B"])
    #expect(try studio.stored(\Disc.cuts) == [["A", "B"]])
  }

  @Test(arguments: StoreKind.allCases, 0..<3)
  func `1M.2 a stored object takes the place of its new twin among members that were appended`(
    _ kind: StoreKind,
    _ place: Int
  ) throws {
    let studio = try Studio(kind, stored: [Self.codes[place]])
    let disc = Disc(context: studio.context)
    let cuts = Self.codes.map { studio.cut($0) }
    for cut in cuts { disc.cuts.append(cut) }
    try studio.context.save()
    let merged = cuts.indices.filter { cuts[$0].isForwarding }
    #expect(merged == [place])
    #expect(disc.cuts.map(\.code) == Self.codes)
    #expect(try studio.stored(\Disc.cuts) == [Self.codes])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1M.2 several stored objects take the places of their new twins`(
    _ kind: StoreKind,
    assigns: Bool
  ) throws {
    let studio = try Studio(kind, stored: ["A", "B"])
    let disc = Disc(context: studio.context)
    let (a, b) = (studio.cut("A"), studio.cut("B"))
    if assigns { disc.cuts = [b, a] } else { disc.cuts.append(contentsOf: [b, a]) }
    try studio.context.save()
    #expect(a.isForwarding && b.isForwarding)
    #expect(disc.cuts.map(\.code) == ["B", "A"])
    #expect(try studio.stored(\Disc.cuts) == [["B", "A"]])
  }

  @Test(
    arguments: StoreKind.allCases,
    [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback]
  )
  func `1M.2 a stored object that is elsewhere takes the place only if the policy moves it`(
    _ kind: StoreKind,
    _ policy: MergePolicy
  ) throws {
    let studio = try Studio(kind)
    let (old, new) = (Disc(context: studio.context), Disc(context: studio.context))
    let survivor = studio.cut("A")
    old.cuts = [survivor]
    try studio.context.save()
    studio.context.mergePolicy = policy
    let (twin, other) = (studio.cut("A"), studio.cut("B"))
    new.cuts = [twin, other]
    try studio.context.save()
    #expect(twin.isForwarding)
    let moves = policy == .mergeByPropertyObjectTrump
    let lists: ([Cut], [Cut]) = moves ? ([], [survivor, other]) : ([survivor], [other])
    #expect(Array(old.cuts) == lists.0)
    #expect(Array(new.cuts) == lists.1)
    let expected: Set<[String]> = moves ? [[], ["A", "B"]] : [["A"], ["B"]]
    #expect(try Set(studio.stored(\Disc.cuts)) == expected)
  }

  /// Adds a new twin of the first member of two, and another object, and saves.
  private func addTwin<Owner: ManagedEntity>(
    _ kind: StoreKind,
    _ members: ReferenceWritableKeyPath<Owner, OrderedToMany<Cut>>,
    assigns: Bool
  ) throws {
    let studio = try Studio(kind)
    let owner = Owner(context: studio.context)
    let (survivor, other) = (studio.cut("A"), studio.cut("X"))
    owner[keyPath: members] = [survivor, other]
    try studio.context.save()
    let (twin, new) = (studio.cut("A"), studio.cut("B"))
    if assigns {
      owner[keyPath: members] = [other, twin, survivor, new]
    } else {
      owner[keyPath: members].append(contentsOf: [twin, new])
    }
    try studio.context.save()
    let expected = assigns ? [other, survivor, new] : [survivor, other, new]
    #expect(twin.isForwarding && Array(owner[keyPath: members]) == expected)
    #expect(owner[keyPath: members].count == 3)
    #expect(try studio.stored(members) == [expected.map(\.code)])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1M.2 a stored object that is a member already stays where it is`(
    _ kind: StoreKind,
    assigns: Bool
  ) throws {
    try addTwin(kind, \Disc.cuts, assigns: assigns)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1M.2 an object that is linked already stays where it is`(
    _ kind: StoreKind,
    assigns: Bool
  ) throws {
    try addTwin(kind, \Mix.cuts, assigns: assigns)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1M.2 a member already stays where it is where there is no inverse`(
    _ kind: StoreKind,
    assigns: Bool
  ) throws {
    try addTwin(kind, \Queue.cuts, assigns: assigns)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 without an inverse a stored member is in once between the merge and the save`(
    _ kind: StoreKind
  ) throws {
    let studio = try Studio(kind)
    let queue = Queue(context: studio.context)
    let (survivor, other) = (studio.cut("A"), studio.cut("X"))
    queue.cuts = [survivor, other]
    try studio.context.save()
    survivor.title = "changed"
    let (twin, new) = (studio.cut("A"), studio.cut("B"))
    queue.cuts.append(contentsOf: [twin, new])
    try studio.context.processPendingChanges()
    #expect(twin.isForwarding)
    #expect(Array(queue.cuts) == [survivor, other, new])
    #expect(queue.cuts.count == 3)
    try studio.context.save()
    #expect(try studio.stored(\Queue.cuts) == [["A", "X", "B"]])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1M.2 a stored object takes the places of its new twin in many lists`(
    _ kind: StoreKind,
    cutsFirst: Bool
  ) throws {
    let studio = try Studio(kind, stored: ["A"], cutsFirst: cutsFirst)
    let mixes = [Mix(context: studio.context), Mix(context: studio.context)]
    let (a, b, c) = (studio.cut("A"), studio.cut("B"), studio.cut("C"))
    mixes[0].cuts = [a, b]
    for cut in [b, a, c] { mixes[1].cuts.append(cut) }
    try studio.context.save()
    #expect(a.isForwarding && Set(a.mixes) == Set(mixes))
    #expect(mixes[0].cuts.map(\.code) == ["A", "B"])
    #expect(mixes[1].cuts.map(\.code) == ["B", "A", "C"])
    let expected: Set<[String]> = [["A", "B"], ["B", "A", "C"]]
    #expect(try Set(studio.stored(\Mix.cuts)) == expected)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1M.2 a stored object takes the place of its new twin where there is no inverse`(
    _ kind: StoreKind,
    assigns: Bool
  ) throws {
    let studio = try Studio(kind, stored: ["B"])
    let queue = Queue(context: studio.context)
    let cuts = Self.codes.map { studio.cut($0) }
    if assigns { queue.cuts = OrderedToMany(cuts) } else { queue.cuts.append(contentsOf: cuts) }
    try studio.context.save()
    #expect(cuts[1].isForwarding)
    #expect(queue.cuts.map(\.code) == Self.codes)
    #expect(try studio.stored(\Queue.cuts) == [Self.codes])
  }

  /// Each list names the first cut, another one, and a twin of the first by 0, 1 and 2.
  @Test(arguments: StoreKind.allCases, [[0, 1, 2], [2, 1, 0], [2, 1]])
  func `1M.2 two unsaved twins in one list become one at the place of the older, or of either`(
    _ kind: StoreKind,
    _ places: [Int]
  ) throws {
    let studio = try Studio(kind)
    let cuts = [studio.cut("A"), studio.cut("B"), studio.cut("A")]
    let disc = Disc(context: studio.context)
    let queue = Queue(context: studio.context)
    disc.cuts = OrderedToMany(places.map { cuts[$0] })
    queue.cuts = OrderedToMany(places.map { cuts[$0] })
    try studio.context.processPendingChanges()
    #expect(cuts.map(\.isForwarding) == [false, false, true])
    let left = places.contains(0) ? places.filter { $0 != 2 } : [0, 1]
    let expected = left.map { cuts[$0] }
    #expect(Array(disc.cuts) == expected && Array(queue.cuts) == expected)
    try studio.context.save()
    #expect(try studio.stored(\Disc.cuts) == [expected.map(\.code)])
    #expect(try studio.stored(\Queue.cuts) == [expected.map(\.code)])
  }
}
