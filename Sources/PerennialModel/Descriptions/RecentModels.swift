// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// The models that were asked for last, the latest at the end.
///
/// A program that opens many stores of one model, one for each user or test, resolves and checks it once.
private let recentModels = Mutex<[(entities: [EntityDescription], model: ManagedObjectModel)]>([])

extension ManagedObjectModel {
  /// How many models are kept.
  private static let recentCount = 8

  /// The model of descriptions: that which was made of equal ones before, if it is one of the last.
  ///
  /// - Parameter entities: The descriptions, in any order.
  /// - Returns: The model.
  /// - Throws: ``PerennialError/Code/invalidModel``, naming entity, property and cure.
  package static func shared(
    _ entities: [EntityDescription]
  ) throws(PerennialError) -> ManagedObjectModel {
    let known = recentModels.withLock { models in
      models.firstIndex { $0.entities == entities }.map { index in
        let found = models.remove(at: index)
        models.append(found)
        return found.model
      }
    }
    if let known { return known }
    let model = try ManagedObjectModel(entities: entities)
    recentModels.withLock { models in
      models.append((entities, model))
      if models.count > recentCount { models.removeFirst() }
    }
    return model
  }
}
