// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel

/// The managed classes of a container, superclasses included.
struct ManagedClasses {
  private(set) var byEntityName: [String: ManagedObject.Type] = [:]
  private(set) var descriptions: [EntityDescription] = []

  init(_ classes: [ManagedObject.Type]) {
    for type in classes { add(type) }
  }

  /// The model of the classes.
  ///
  /// - Parameter configurations: The classes of every configuration.
  /// - Returns: The model.
  /// - Throws: `invalidModel` (134020).
  func model(
    _ configurations: [String: [any ManagedEntity.Type]]
  ) throws(PerennialError) -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: descriptions,
      configurations: configurations.mapValues { $0.map { $0.entityName } }
    )
  }

  /// Adds a class and those above it.
  ///
  /// A class without `@Managed` has the entity of its superclass: the lowest one is the entity's.
  private mutating func add(_ type: ManagedObject.Type) {
    var next: ManagedObject.Type? = type
    while let type = next, type != ManagedObject.self {
      let superclass = _getSuperclass(type) as? ManagedObject.Type
      if let known = byEntityName[type.entityName] {
        if superclass == known { byEntityName[type.entityName] = type }
      } else {
        byEntityName[type.entityName] = type
        descriptions.append(type.entity)
      }
      next = superclass
    }
  }
}
