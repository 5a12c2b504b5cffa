// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What a model says in texts, read once for all contexts of a container.
struct ModelRules: Sendable {
  /// The rules of every entity, by its place in the model.
  let entities: [EntityRules]
  /// What is wrong with the texts.
  let problems: [PerennialError]

  init(_ model: ModelLayout) {
    var problems: [PerennialError] = []
    entities = model.entities.map { EntityRules(of: $0, in: model, &problems) }
    self.problems = problems
  }
}
