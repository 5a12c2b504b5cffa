// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Reads the expressions of derived attributes and finds what they name.
package struct DerivationReader {
  let entity: EntityLayout
  let model: ModelLayout
  package private(set) var problems: [PerennialError] = []

  package init(entity: EntityLayout, model: ModelLayout) {
    self.entity = entity
    self.model = model
  }

  /// The derivations of the entity, inherited ones included; problems of its own ones are noted.
  package mutating func read() -> [Derivation] {
    var derivations: [Derivation] = []
    for (slot, layout) in entity.slots.enumerated() {
      guard let attribute = layout.attribute, let text = attribute.derivationExpression else {
        continue
      }
      do throws(PerennialError) {
        let formula = try formula(text, type: attribute.type)
        if case .path = formula, attribute.allowsExternalBinaryDataStorage {
          throw refusal("what is copied of other objects lies in no file", "keep it in the store")
        }
        derivations.append(Derivation(slot: slot, type: attribute.type, formula: formula))
      } catch {
        guard layout.entity == entity.index else { continue }
        var problem = PerennialError.invalidModel(
          "'\(entity.name).\(layout.name)' cannot be derived: \(error.message)",
          error.recovery.isEmpty ? "correct the expression" : error.recovery,
          entity: entity.name,
          property: layout.name
        )
        problem.underlying = error.underlying
        problems.append(problem)
      }
    }
    return derivations
  }

  private func formula(
    _ text: String,
    type: AttributeType
  ) throws(PerennialError) -> Derivation.Formula {
    for transform in TextTransform.allCases {
      let name = transform.rawValue
      let isShort = text.hasPrefix(name.dropLast() + "(")
      guard text.hasSuffix(")"), isShort || text.hasPrefix(name + "(") else { continue }
      let source = text.dropFirst(name.count + (isShort ? 0 : 1)).dropLast()
      guard type == .string else { throw refusal("'\(name)' gives text", "make it a String") }
      return try copy(String(source), type: type, transform)
    }
    switch try ExpressionNode(parsing: text) {
    case .function(.now, []):
      guard type == .date else { throw refusal("'now()' gives a date", "make it a Date") }
      return .now
    case .keyPath(.object, let steps):
      return try copy(steps.joined(separator: "."), type: type, nil)
    case .aggregate(.keyPath(.object, let steps), let operation, let element):
      return try collection(steps, operation, element, type: type)
    default: throw unsupported
    }
  }

  /// `name`, or `author.name`.
  private func copy(
    _ path: String,
    type: AttributeType,
    _ transform: TextTransform?
  ) throws(PerennialError) -> Derivation.Formula {
    let path = path.filter { !$0.isWhitespace }
    var names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var steps: [RelationshipLayout] = []
    var place = entity
    while place.slotsByName[names.joined(separator: ".")] == nil, names.count > 1,
      let slot = place.slotsByName[names[0]], let step = place.slots[slot].relationship
    {
      guard step.inverse != nil else {
        throw refusal(
          "'\(place.name).\(step.name)' has no inverse",
          "give it one: it leads from a changed object to those that copy from it"
        )
      }
      steps.append(step)
      place = model.entities[step.destination]
      names.removeFirst()
    }
    let name = names.joined(separator: ".")
    let source = try source(name, of: place, isElsewhere: !steps.isEmpty)
    guard source.attribute.type == type else {
      throw refusal("'\(path)' is of type \(source.attribute.type)", "make it of that type too")
    }
    guard !steps.isEmpty else { return .copy(slot: source.slot, transform) }
    return .path(
      PathFormula(
        steps: steps,
        member: source.slot,
        transform: transform,
        expression: .keyPath(
          .object,
          steps.map(\.name) + name.split(separator: ".").map(String.init)
        )
      )
    )
  }

  /// The attribute that is copied.
  private func source(
    _ name: String,
    of place: EntityLayout,
    isElsewhere: Bool
  ) throws(PerennialError) -> (slot: Int, attribute: AttributeDescription) {
    guard let slot = place.slotsByName[name], let attribute = place.slots[slot].attribute else {
      if place.relationship(named: name) == nil, !name.contains(".") {
        throw .unknownProperty(name, of: place)
      }
      throw unsupported
    }
    guard attribute.derivationExpression == nil, !attribute.isTransient else {
      throw refusal("'\(name)' is derived or transient", "name a stored attribute")
    }
    if isElsewhere, attribute.allowsExternalBinaryDataStorage {
      throw refusal("'\(place.name).\(name)' may lie in a file", "name another attribute")
    }
    return (slot, attribute)
  }

  /// `commits.@count`, `commits.length.@sum` or `commits.@sum.length`.
  private func collection(
    _ steps: [String],
    _ operation: CollectionOperator,
    _ element: ExpressionNode,
    type: AttributeType
  ) throws(PerennialError) -> Derivation.Formula {
    var path = steps
    switch element {
    case .object: break
    case .keyPath(.object, let rest): path += rest
    default: throw unsupported
    }
    guard let first = path.first, let index = entity.toManysByName[first] else { throw unsupported }
    let relationship = entity.toManys[index]
    let name = path.dropFirst().joined(separator: ".")
    guard relationship.inverse != nil else {
      throw refusal("'\(first)' has no inverse", "give it one, so that its changes are seen")
    }
    if operation == .count {
      guard name.isEmpty else { throw unsupported }
      guard type.isNumber else { throw refusal("'@count' gives a number", "make it an Int") }
      return .collection(
        CollectionFormula(
          relationship: relationship,
          operation: .count,
          member: nil,
          expression: .aggregate(.path(first), .count, .object)
        )
      )
    }
    let destination = model.entities[relationship.destination]
    guard let member = destination.slotsByName[name] else {
      throw .unknownProperty(name, of: destination)
    }
    guard let attribute = destination.slots[member].attribute, !attribute.isTransient,
      attribute.derivationExpression == nil
    else { throw refusal("'\(name)' is no stored attribute", "name one of '\(first)'") }
    try check(operation, of: attribute, gives: type)
    return .collection(
      CollectionFormula(
        relationship: relationship,
        operation: operation,
        member: member,
        expression: .aggregate(.path(first), operation, .path(name))
      )
    )
  }

  private func check(
    _ operation: CollectionOperator,
    of attribute: AttributeDescription,
    gives type: AttributeType
  ) throws(PerennialError) {
    let fits =
      switch operation {
      case .sum:
        attribute.type.isNumber && type.isNumber
          && (attribute.type.storage == .integer || type.storage != .integer)
      case .min, .max:
        attribute.type == type && (type.isNumber || type == .date)
      case .average: attribute.type.isNumber && (type == .double || type == .float)
      case .count, .unionOfObjects, .distinctUnionOfObjects: false
      }
    if !fits {
      throw refusal(
        "'\(operation.rawValue)' of values of type \(attribute.type) does not give \(type)",
        "change the type of one of them"
      )
    }
  }

  private var unsupported: PerennialError {
    refusal(
      "its expression is none that Perennial can derive",
      "write an attribute's name or a path to one through to-one relationships, canonical:(name), uppercase:(name), lowercase:(name), relationship.@count, relationship.attribute.@sum (@min, @max, @avg), or now()"
    )
  }

  private func refusal(_ reason: String, _ recovery: String) -> PerennialError {
    .invalidModel(reason + ".", recovery)
  }
}

extension AttributeType {
  fileprivate var isNumber: Bool {
    switch self {
    case .int16, .int32, .int64, .decimal, .double, .float: true
    default: false
    }
  }
}
