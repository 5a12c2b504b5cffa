// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Tells which relationships of a model that was read have no inverse: they are mostly a mistake.
enum MissingInverses {
  /// One note for each, with its line where that is known.
  static func notes(in model: ManagedObjectModel, lines: [String: Int] = [:]) -> [ModelDiagnostic] {
    model.entities.flatMap { entity in
      entity.properties.compactMap { property in
        guard case .relationship(let relationship) = property, relationship.inverse == nil else {
          return nil
        }
        let name = "\(entity.name).\(relationship.name)"
        return ModelDiagnostic(
          line: lines[name] ?? 0,
          "'\(name)' has no inverse, and does not change when what it leads to is deleted; give it one"
        )
      }
    }
  }
}
