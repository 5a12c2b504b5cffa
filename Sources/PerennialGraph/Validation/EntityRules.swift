// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore

/// The validation rules of one entity, inherited ones included, read and compiled.
struct EntityRules: Sendable {
  /// A condition on a value, which is `SELF`.
  struct Condition: Sendable {
    let node: PredicateNode
    let message: String
  }

  /// The rules of an attribute.
  struct Attribute: Sendable {
    let slot: Int
    let type: AttributeType
    let rules: ValidationRules
    let matcher: PatternMatcher?
    let conditions: [Condition]
  }

  /// The conditions of a relationship.
  struct Relationship: Sendable {
    let relationship: RelationshipLayout
    let conditions: [Condition]
  }

  private(set) var attributes: [Attribute] = []
  private(set) var relationships: [Relationship] = []
  /// The slots of URLs, whose text must be one.
  private(set) var urlSlots: [Int] = []

  /// Whether a save has nothing to look at.
  var isEmpty: Bool { attributes.isEmpty && relationships.isEmpty && urlSlots.isEmpty }

  /// Compiles the rules of an entity.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - model: Its model.
  ///   - problems: Takes what is wrong with rules that the entity declares itself.
  init(of entity: EntityLayout, in model: ModelLayout, _ problems: inout [PerennialError]) {
    for (slot, layout) in entity.slots.enumerated() {
      var compiler = RuleCompiler(entity: entity, property: layout.name)
      if let attribute = layout.attribute {
        if attribute.type == .url { urlSlots.append(slot) }
        guard !attribute.validation.isEmpty else { continue }
        attributes.append(compiler.compile(attribute, slot: slot))
      } else if let relationship = layout.relationship {
        add(relationship, &compiler, model)
      }
      if layout.entity == entity.index { problems += compiler.problems }
    }
    for relationship in entity.toManys {
      var compiler = RuleCompiler(entity: entity, property: relationship.name)
      add(relationship, &compiler, model)
      if relationship.entity == entity.index { problems += compiler.problems }
    }
  }

  private mutating func add(
    _ relationship: RelationshipLayout,
    _ compiler: inout RuleCompiler,
    _ model: ModelLayout
  ) {
    let validation = relationship.description.validation
    guard !validation.isEmpty else { return }
    let conditions = compiler.compile(validation)
    if !relationship.isToMany { compiler.check(validation, against: relationship, model) }
    relationships.append(Relationship(relationship: relationship, conditions: conditions))
  }
}

/// Reads the texts of a property's rules; a wrong one is a problem that names the property.
private struct RuleCompiler {
  let entity: EntityLayout
  let property: String
  private(set) var problems: [PerennialError] = []

  init(entity: EntityLayout, property: String) {
    self.entity = entity
    self.property = property
  }

  mutating func compile(_ attribute: AttributeDescription, slot: Int) -> EntityRules.Attribute {
    var matcher: PatternMatcher?
    if let pattern = attribute.validation.pattern {
      do throws(PerennialError) {
        matcher = try PatternMatcher.matcher(for: pattern)
      } catch {
        report("is no regular expression", "pattern", error)
      }
    }
    return EntityRules.Attribute(
      slot: slot,
      type: attribute.type,
      rules: attribute.validation,
      matcher: matcher,
      conditions: compile(attribute.validation.predicates)
    )
  }

  mutating func compile(_ predicates: [ValidationPredicate]) -> [EntityRules.Condition] {
    var conditions: [EntityRules.Condition] = []
    for predicate in predicates {
      do throws(PerennialError) {
        let node = try FetchPredicate(parsing: predicate.format).checked()
        conditions.append(EntityRules.Condition(node: node, message: predicate.message))
      } catch {
        report("cannot be read: \(error.message)", "validation predicate", error)
      }
    }
    return conditions
  }

  /// Looks up the names in conditions on the object of a to-one relationship.
  mutating func check(
    _ predicates: [ValidationPredicate],
    against relationship: RelationshipLayout,
    _ model: ModelLayout
  ) {
    for predicate in predicates {
      let query = StoreQuery(
        entity: relationship.destination,
        predicate: try? FetchPredicate(parsing: predicate.format)
      )
      do throws(PerennialError) {
        try QueryChecker(model).check(query)
      } catch {
        report("does not fit: \(error.message)", "validation predicate", error)
      }
    }
  }

  private mutating func report(_ reason: String, _ what: String, _ error: PerennialError) {
    var problem = PerennialError.invalidModel(
      "A \(what) of '\(entity.name).\(property)' \(reason).",
      error.recovery.isEmpty ? "correct the \(what)" : error.recovery,
      entity: entity.name,
      property: property
    )
    problem.underlying = error
    problems.append(problem)
  }
}
