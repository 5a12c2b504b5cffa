// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// Tells which derivations and patterns of a model that was read cannot be used: with these no store is opened.
///
/// They are no errors of reading. A former version of a model may have them, and is good for its version hashes.
enum WrongTexts {
  /// One note for each, with its line where that is known.
  static func notes(in model: ManagedObjectModel, lines: [String: Int] = [:]) -> [ModelDiagnostic] {
    model.layout.entities.flatMap { entity in
      var reader = DerivationReader(entity: entity, model: model.layout)
      _ = reader.read()
      return (reader.problems + wrongPatterns(of: entity)).map { problem in
        note(on: problem, entity.name, lines)
      }
    }
  }

  /// The patterns of the attributes that an entity declares itself.
  private static func wrongPatterns(of entity: EntityLayout) -> [PerennialError] {
    entity.slots.compactMap { slot in
      guard slot.entity == entity.index, let pattern = slot.attribute?.validation.pattern else {
        return nil
      }
      do throws(PerennialError) {
        _ = try PatternMatcher.matcher(for: pattern)
        return nil
      } catch {
        return .invalidModel(
          "The pattern of '\(entity.name).\(slot.name)' is no regular expression.",
          "correct it",
          entity: entity.name,
          property: slot.name
        )
      }
    }
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
