// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// Tells which derivations, patterns and conditions of a model that was read cannot be used: with these no store is opened.
///
/// They are no errors of reading. A former version of a model may have them, and is good for its version hashes.
enum WrongTexts {
  /// One note for each, with its line where that is known.
  static func notes(in model: ManagedObjectModel, lines: [String: Int] = [:]) -> [ModelDiagnostic] {
    model.layout.entities.flatMap { entity in
      var reader = DerivationReader(entity: entity, model: model.layout)
      _ = reader.read()
      return (reader.problems + wrongRules(of: entity)).map { note(on: $0, entity.name, lines) }
    }
  }

  /// The patterns and conditions that an entity declares itself.
  private static func wrongRules(of entity: EntityLayout) -> [PerennialError] {
    var reader = RuleReader(entity)
    for index in entity.description.indexes { reader.condition(of: index) }
    for slot in entity.slots where slot.entity == entity.index {
      _ = reader.matcher(slot.attribute?.validation.pattern, of: slot.name)
      let conditions = slot.attribute?.validation.predicates ?? []
      for condition in conditions { _ = reader.condition(condition, of: slot.name) }
    }
    let relationships = entity.slots.compactMap(\.relationship) + entity.toManys
    for relationship in relationships where relationship.entity == entity.index {
      for condition in relationship.description.validation {
        _ = reader.condition(condition, of: relationship.name)
      }
    }
    return reader.problems
  }

  private static func note(
    on problem: PerennialError,
    _ entity: String,
    _ lines: [String: Int]
  ) -> ModelDiagnostic {
    // Of an element of a composite attribute the line of the attribute is known.
    let name = (problem.property ?? "").prefix { $0 != "." }
    // The sentence, without the picture of the place below it.
    let sentence = problem.message.prefix { !$0.isNewline }
    let message = sentence.hasSuffix(".") ? sentence.dropLast() : sentence
    return ModelDiagnostic(
      line: lines["\(entity).\(name)"] ?? 0,
      problem.recovery.isEmpty ? "\(message)" : "\(message); \(problem.recovery)",
      isError: true
    )
  }
}
