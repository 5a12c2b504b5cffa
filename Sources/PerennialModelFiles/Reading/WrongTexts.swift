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
      return (reader.problems + wrongPatterns(of: entity) + wrongConditions(of: entity)).map {
        note(on: $0, entity.name, lines)
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

  /// The conditions of an entity's indexes, and of the values of attributes that it declares itself.
  private static func wrongConditions(of entity: EntityLayout) -> [PerennialError] {
    let indexes = entity.description.indexes.compactMap { index in
      index.partialIndexPredicate.flatMap { condition in
        problem(condition, "of the index '\(index.name)' of '\(entity.name)'", entity)
      }
    }
    let values = entity.slots.filter { $0.entity == entity.index }.flatMap { slot in
      (slot.attribute?.validation.predicates ?? []).compactMap { predicate in
        problem(predicate.format, "of '\(entity.name).\(slot.name)'", entity, slot.name)
      }
    }
    return indexes + values
  }

  /// Why a condition cannot be read; `nil` if it can.
  private static func problem(
    _ condition: String,
    _ place: String,
    _ entity: EntityLayout,
    _ property: String? = nil
  ) -> PerennialError? {
    do throws(PerennialError) {
      _ = try FetchPredicate(parsing: condition).checked()
      return nil
    } catch {
      return .invalidModel(
        "The condition \(place) is wrong: \(error.message)",
        error.recovery.isEmpty ? "correct it" : error.recovery,
        entity: entity.name,
        property: property
      )
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
