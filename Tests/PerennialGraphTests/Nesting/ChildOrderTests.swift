// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// An object with a unique code, and with bottles in an order.
private final class Crate: ManagedObject, ManagedEntity {
  var code: String? {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var bottles: OrderedToMany<Bottle> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Crate.self,
        named: "Crate",
        superclass: ManagedObject.self,
        uniqueness: [["code"]],
        properties: [
          .of("code", (String?).self),
          .of("bottles", OrderedToMany<Bottle>.self, inverse: "crate"),
        ]
      )
    }
    return Storage.entity
  }
}

private final class Bottle: ManagedObject, ManagedEntity {
  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var crate: Crate? {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Bottle.self,
        named: "Bottle",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self), .of("crate", (Crate?).self, inverse: "bottles"),
        ]
      )
    }
    return Storage.entity
  }
}

@Suite("SEMANTICS 1M.2: orders in the children of a context that merges")
struct ChildOrderTests {
  private func makeBottles(_ names: [String], in context: ManagedObjectContext) -> [Bottle] {
    names.map { name in
      let bottle = Bottle(context: context)
      bottle.name = name
      return bottle
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 what the other one had in an order below comes after the survivor's stored members`(
    _ kind: StoreKind
  ) throws {
    let model = try ManagedObjectModel(entities: [Crate.entity, Bottle.entity])
    let family = try Family(kind, model: model, classes: [Crate.self, Bottle.self])
    family.top.mergePolicy = .mergeByPropertyObjectTrump
    let survivor = Crate(context: family.top)
    survivor.code = "t"
    let old = makeBottles(["a", "b"], in: family.top)
    for bottle in old { survivor.bottles.append(bottle) }
    survivor.bottles.move(from: 1, to: 0)
    try family.top.save()
    let twin = Crate(context: family.top)
    let mine = try [survivor, twin].map {
      try family.child.object(Crate.self, with: $0.objectID)
    }
    for bottle in makeBottles(["x", "y"], in: family.child) { mine[1].bottles.append(bottle) }
    mine[1].bottles.move(from: 1, to: 0)
    #expect(mine[1].bottles.map(\.name) == ["y", "x"])
    twin.code = "t"
    try family.top.save()
    #expect(mine[1].isForwarding)
    #expect(mine[0].bottles.map(\.name) == ["b", "a", "y", "x"])
    try family.saveAll()
    #expect(try family.stored(Crate.self).map { $0.bottles.map(\.name) } == [["b", "a", "y", "x"]])
  }
}
