// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate

/// A rack has its jars in order.
final class Rack: ManagedObject, ManagedEntity {
  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var jars: OrderedToMany<Jar> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Rack.self,
        named: "Rack",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self), .of("jars", OrderedToMany<Jar>.self, inverse: "rack"),
        ]
      )
    }
    return Storage.entity
  }
}

final class Jar: ManagedObject, ManagedEntity {
  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var rack: Rack? {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Jar.self,
        named: "Jar",
        superclass: ManagedObject.self,
        properties: [.of("name", String.self), .of("rack", (Rack?).self, inverse: "jars")]
      )
    }
    return Storage.entity
  }
}

extension Bench {
  /// Saves racks that are called by their numbers, each with as many jars.
  static func racks(_ kind: StoreKind, racks: Int, jars: Int) throws -> Bench {
    let model = try ManagedObjectModel(Rack.entity, Jar.entity)
    let bench = try Bench(kind, model: model, classes: [Rack.self, Jar.self])
    let context = bench.context()
    for number in 0..<racks {
      let rack = Rack(context: context)
      rack.name = "\(number)"
      rack.jars = OrderedToMany(
        (0..<jars).map { place in
          let jar = Jar(context: context)
          jar.name = "\(number).\(place)"
          return jar
        }
      )
    }
    try context.save()
    return bench
  }
}

extension ManagedObjectContext {
  /// All racks, by name.
  func racks() throws -> [Rack] {
    try fetch(Rack.all.sorted(by: FetchSort("name")))
  }
}
