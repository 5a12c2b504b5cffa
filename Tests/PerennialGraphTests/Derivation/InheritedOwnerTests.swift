// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

private final class Depot: ManagedObject, ManagedEntity {
  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    EntityDescription(
      managing: Depot.self,
      named: "Depot",
      superclass: ManagedObject.self,
      properties: [
        .of("name", String.self, default: ""),
        .of("crates", ToMany<Crate>.self, inverse: "depot"),
      ]
    )
  }
}

private final class Piece: ManagedObject, ManagedEntity {
  var weight: Int {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var crate: Crate? {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    EntityDescription(
      managing: Piece.self,
      named: "Piece",
      superclass: ManagedObject.self,
      properties: [
        .of("weight", Int.self, default: 0), .of("crate", (Crate?).self, inverse: "pieces"),
      ]
    )
  }
}

/// Has the relationships, but none of the attributes that are derived from them.
private class Crate: ManagedObject, ManagedEntity {
  final var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  final var depot: Depot? {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    EntityDescription(
      managing: Crate.self,
      named: "Crate",
      superclass: ManagedObject.self,
      properties: [
        .of("name", String.self, default: ""), .of("depot", (Depot?).self, inverse: "crates"),
        .of("pieces", ToMany<Piece>.self, inverse: "crate"),
      ]
    )
  }
}

private final class CountedCrate: Crate {
  var pieceCount: Int { _get(2) }
  var weight: Int { _get(3) }
  var depotName: String? { _get(4) }

  override class var entity: EntityDescription {
    EntityDescription(
      managing: CountedCrate.self,
      named: "CountedCrate",
      superclass: Crate.self,
      properties: [
        .of("pieceCount", Int.self, derived: "pieces.@count"),
        .of("weight", Int.self, derived: "pieces.weight.@sum"),
        .of("depotName", (String?).self, derived: "depot.name"),
      ]
    )
  }
}

@Suite("SEMANTICS 1A.9: attributes derived from relationships of a parent entity")
struct InheritedOwnerTests {
  private struct Scene {
    let bench: Bench
    let context: ManagedObjectContext
    let depot: Depot
    let plain: Crate
    let counted: CountedCrate

    init(_ kind: StoreKind) throws {
      bench = try Bench(
        kind,
        model: ManagedObjectModel(
          Depot.entity,
          Piece.entity,
          Crate.entity,
          CountedCrate.entity
        ),
        classes: [Depot.self, Piece.self, Crate.self, CountedCrate.self],
        history: HistoryOptions(isOn: true)
      )
      context = bench.context()
      depot = Depot(context: context)
      (plain, counted) = (Crate(context: context), CountedCrate(context: context))
      depot.name = "north"
      for crate in [plain, counted] {
        crate.name = "a name that is not short"
        crate.depot = depot
      }
      try context.save()
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1A.9 owners of the parent entity are left alone, and its subentity is computed`(
    _ kind: StoreKind,
    _ isElsewhere: Bool
  ) throws {
    let scene = try Scene(kind)
    let context = isElsewhere ? scene.bench.context() : scene.context
    let plain = try context.existingObject(with: scene.plain.objectID) as? Crate
    let counted = try context.existingObject(with: scene.counted.objectID) as? CountedCrate
    for crate in [plain, plain, counted] {
      let piece = Piece(context: context)
      (piece.weight, piece.crate) = (3, crate)
    }
    try context.fetch(FetchRequest<Depot>()).first?.name = "south"
    try context.processPendingChanges()
    #expect(counted?.pieceCount == 1 && counted?.weight == 3 && counted?.depotName == "south")
    try context.save()
    for piece in try context.fetch(FetchRequest<Piece>()) { piece.weight = 5 }
    try context.save()
    let other = scene.bench.context()
    let seen = try other.fetch(FetchRequest<CountedCrate>())
    #expect(seen.map(\.pieceCount) == [1] && seen.map(\.weight) == [5])
    #expect(seen.map(\.depotName) == ["south"])
    #expect(try other.fetch(FetchRequest<Crate>()).map(\.name).allSatisfy { $0.count == 24 })
    #expect(try other.count(for: FetchRequest<Crate>().filter("pieces.@count == 2")) == 1)
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1I.5 the history names no derived attribute of the parent entity's objects`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind)
    let context = scene.context
    for crate in [scene.plain, scene.counted] { Piece(context: context).crate = crate }
    scene.depot.name = "south"
    try context.save()
    let changes = try context.execute(.fetchHistory(after: nil)).transactions.flatMap(\.changes)
    func updated(_ crate: Crate) -> Set<String> {
      let updates = changes.filter {
        $0.changedObjectID == crate.objectID && $0.changeType == .update
      }
      return Set(updates.flatMap(\.updatedProperties))
    }
    #expect(updated(scene.plain).isEmpty)
    #expect(updated(scene.counted) == ["pieceCount", "depotName"])
  }
}
