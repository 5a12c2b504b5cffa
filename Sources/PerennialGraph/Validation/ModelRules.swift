// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// What a model says in texts, read once for all contexts of a container.
struct ModelRules: Sendable {
  /// The rules of every entity, by its place in the model.
  let entities: [EntityRules]
  /// The derived attributes of the entities that have some.
  let derivations: [EntityDerivations?]
  /// Whether there are derived attributes that look at other objects, or that are times.
  let hasRelated: Bool
  let hasTimes: Bool
  /// What is wrong with the texts.
  let problems: [PerennialError]

  init(_ model: ModelLayout) {
    var problems: [PerennialError] = []
    entities = model.entities.map { EntityRules(of: $0, in: model, &problems) }
    derivations = model.entities.map { entity in
      var reader = DerivationReader(entity: entity, model: model)
      let derivations = reader.read()
      problems += reader.problems
      return derivations.isEmpty ? nil : EntityDerivations(derivations)
    }
    hasRelated = derivations.contains { $0?.related.isEmpty == false }
    hasTimes = derivations.contains { $0?.timeSlots.isEmpty == false }
    self.problems = problems
  }
}
