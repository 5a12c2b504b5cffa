// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Checks a single property, without looking at others.
enum PropertyValidator {
  static func check(
    _ attribute: AttributeDescription,
    of entity: EntityDescription,
    report: (String, String) -> Void
  ) {
    var name: String { "'\(entity.name).\(attribute.name)'" }
    switch attribute.type {
    case .undefined, .objectID:
      if !attribute.isTransient {
        report("\(name) has no type that can be stored.", "give it a type or make it transient")
      }
    case .composite:
      if attribute.elements.isEmpty {
        report("The composite attribute \(name) has no elements.", "add at least one element")
      }
      checkElements(attribute, of: entity, report: report)
    default:
      if !attribute.elements.isEmpty {
        report("\(name) has elements but is not composite.", "make its type .composite")
      }
    }
    if attribute.defaultValue.rounded(to: attribute.type) == nil {
      report(
        "The default of \(name) is not of type \(attribute.type).",
        "give it a default of its type"
      )
    }
    if !attribute.validation.isEmpty { checkRules(attribute, named: name, report: report) }
    if attribute.derivationExpression != nil, attribute.isTransient {
      report("\(name) is derived and transient.", "remove one of the two")
    }
  }

  /// Whether the rules are of a kind that values of the type can meet.
  private static func checkRules(
    _ attribute: AttributeDescription,
    named name: String,
    report: (String, String) -> Void
  ) {
    let rules = attribute.validation
    let hasBounds = !rules.minimum.isNull || !rules.maximum.isNull
    if hasBounds, !attribute.type.hasOrder {
      report(
        "\(name) has a minimum or a maximum, but is neither a number nor a date.",
        "remove it, or use a length for text"
      )
    } else if rules.minimum.rounded(to: attribute.type) == nil
      || rules.maximum.rounded(to: attribute.type) == nil
    {
      report(
        "The minimum or maximum of \(name) is not of type \(attribute.type).",
        "give it a bound of its type"
      )
    }
    if rules.minimumLength != nil || rules.maximumLength != nil,
      attribute.type != .string && attribute.type != .binaryData
    {
      report(
        "\(name) has a minimum or maximum length, but is neither text nor data.",
        "remove it, or use a minimum or maximum for numbers and dates"
      )
    }
    if let minimum = rules.minimumLength, let maximum = rules.maximumLength, minimum > maximum {
      report("The minimum length of \(name) exceeds its maximum.", "exchange them")
    }
    if rules.pattern != nil, attribute.type != .string {
      report("\(name) has a pattern, but is no text.", "remove it")
    }
    if attribute.type == .composite, !rules.isEmpty {
      report("The composite attribute \(name) has rules.", "give them to its elements")
    }
  }

  private static func checkElements(
    _ attribute: AttributeDescription,
    of entity: EntityDescription,
    report: (String, String) -> Void
  ) {
    var name: String { "'\(entity.name).\(attribute.name)'" }
    var seen: Set<String> = []
    for element in attribute.elements {
      var element = element
      element.isTransient = element.isTransient || attribute.isTransient
      if !ModelValidator.isName(element.name) {
        report(
          "'\(element.name)' cannot be an element's name in the composite attribute \(name).",
          "start it with a letter and use only letters, digits and _"
        )
      }
      if !seen.insert(element.name.uppercased()).inserted {
        report(
          "The composite attribute \(name) has two elements called '\(element.name)'.",
          "rename one of them"
        )
      }
      check(element, of: entity, report: report)
    }
  }

  static func checkCounts(
    _ relationship: RelationshipDescription,
    of entity: EntityDescription,
    report: (String, String) -> Void
  ) {
    var name: String { "'\(entity.name).\(relationship.name)'" }
    if relationship.isOrdered, !relationship.isToMany {
      report("\(name) is to-one, but ordered.", "make it to-many or not ordered")
    }
    // Models that were made in code for Core Data say -1 for no limit, and their version hashes do too.
    let least = relationship.isToMany ? -1 : 0
    if relationship.minimumCount < 0 || relationship.maximumCount < least {
      report("\(name) has a negative count.", "use 0 for no limit")
    }
    if relationship.maximumCount > 0, relationship.minimumCount > relationship.maximumCount {
      report(
        "\(name) needs at least \(relationship.minimumCount) objects and allows at most \(relationship.maximumCount).",
        "lower the minimum or raise the maximum"
      )
    }
    if !relationship.isToMany, relationship.maximumCount > 1 {
      report("\(name) is to-one, but allows several objects.", "make it to-many")
    }
  }
}
