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
  /// - Throws: `invalidModel` (134,020).
  func model(
    _ configurations: [String: [any ManagedEntity.Type]]
  ) throws(PerennialError) -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: descriptions,
      configurations: configurations.mapValues { $0.map { $0.entityName } }
    )
  }

  private mutating func add(_ type: ManagedObject.Type) {
    guard type != ManagedObject.self, byEntityName[type.entityName] == nil else { return }
    byEntityName[type.entityName] = type
    descriptions.append(type.entity)
    if let superclass = _getSuperclass(type) as? ManagedObject.Type { add(superclass) }
  }
}
