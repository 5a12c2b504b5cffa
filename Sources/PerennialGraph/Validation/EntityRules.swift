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
      var reader = RuleReader(entity)
      if let attribute = layout.attribute {
        if attribute.type == .url { urlSlots.append(slot) }
        guard !attribute.validation.isEmpty else { continue }
        add(attribute.validation, of: layout, slot, &reader)
      } else if let relationship = layout.relationship {
        add(relationship, &reader, model)
      }
      if layout.entity == entity.index { problems += reader.problems }
    }
    for relationship in entity.toManys {
      var reader = RuleReader(entity)
      add(relationship, &reader, model)
      if relationship.entity == entity.index { problems += reader.problems }
    }
    var reader = RuleReader(entity)
    for index in entity.description.indexes { reader.condition(of: index) }
    problems += reader.problems
  }

  private mutating func add(
    _ rules: ValidationRules,
    of layout: SlotLayout,
    _ slot: Int,
    _ reader: inout RuleReader
  ) {
    guard let type = layout.attributeType else { return }
    attributes.append(
      Attribute(
        slot: slot,
        type: type,
        rules: rules,
        matcher: reader.matcher(rules.pattern, of: layout.name),
        conditions: Self.conditions(rules.predicates, of: layout.name, &reader)
      )
    )
  }

  private mutating func add(
    _ relationship: RelationshipLayout,
    _ reader: inout RuleReader,
    _ model: ModelLayout
  ) {
    let validation = relationship.description.validation
    guard !validation.isEmpty else { return }
    let conditions = Self.conditions(validation, of: relationship.name, &reader)
    if !relationship.isToMany {
      for condition in conditions { Self.check(condition, against: relationship, model, &reader) }
    }
    relationships.append(Relationship(relationship: relationship, conditions: conditions))
  }

  private static func conditions(
    _ predicates: [ValidationPredicate],
    of property: String,
    _ reader: inout RuleReader
  ) -> [Condition] {
    predicates.compactMap { predicate in
      reader.condition(predicate, of: property).map {
        Condition(node: $0, message: predicate.message)
      }
    }
  }

  /// Looks up the names in a condition on the object of a to-one relationship.
  private static func check(
    _ condition: Condition,
    against relationship: RelationshipLayout,
    _ model: ModelLayout,
    _ reader: inout RuleReader
  ) {
    let query = StoreQuery(
      entity: relationship.destination,
      predicate: FetchPredicate(condition.node)
    )
    do throws(PerennialError) {
      try QueryChecker(model).check(query)
    } catch {
      let name = "\(model.entities[relationship.entity].name).\(relationship.name)"
      reader.report(
        "The condition of '\(name)' does not fit: \(error.message)",
        relationship.name,
        error
      )
    }
  }
}
