// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Reads the patterns and conditions in a model's texts; a wrong one is a problem that names its place.
package struct RuleReader {
  private let entity: EntityLayout
  /// What is wrong with the texts that were read.
  package private(set) var problems: [PerennialError] = []

  /// A reader of an entity's texts.
  package init(_ entity: EntityLayout) { self.entity = entity }

  /// The pattern of a property's values; `nil` when there is none, or it is no regular expression.
  package mutating func matcher(_ pattern: String?, of property: String) -> PatternMatcher? {
    guard let pattern else { return nil }
    do throws(PerennialError) {
      return try PatternMatcher.matcher(for: pattern)
    } catch {
      report(
        "The pattern of '\(entity.name).\(property)' is no regular expression.",
        property,
        error
      )
      return nil
    }
  }

  /// The condition on a property's values; `nil` when it cannot be read.
  package mutating func condition(
    _ predicate: ValidationPredicate,
    of property: String
  ) -> PredicateNode? {
    condition(predicate.format, "of '\(entity.name).\(property)'", property)
  }

  /// The condition of an index; `nil` when there is none, or it cannot be read.
  @discardableResult
  package mutating func condition(of index: FetchIndexDescription) -> PredicateNode? {
    index.partialIndexPredicate.flatMap {
      condition($0, "of the index '\(index.name)' of '\(entity.name)'", nil)
    }
  }

  private mutating func condition(
    _ text: String,
    _ place: String,
    _ property: String?
  ) -> PredicateNode? {
    do throws(PerennialError) {
      return try FetchPredicate(parsing: text).checked()
    } catch {
      report("The condition \(place) is wrong: \(error.message)", property, error)
      return nil
    }
  }

  /// Notes a problem, whose cure is that of its cause.
  package mutating func report(_ message: String, _ property: String?, _ cause: PerennialError) {
    var problem = PerennialError.invalidModel(
      message,
      cause.recovery.isEmpty ? "correct it" : cause.recovery,
      entity: entity.name,
      property: property
    )
    problem.underlying = cause
    problems.append(problem)
  }
}
