// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension StoreUse {
  /// How many objects meet each of the conditions on stored properties.
  mutating func counts(
    of properties: [String: [PropertyDescription]],
    in context: ManagedObjectContext
  ) -> [String: Int] {
    var counts: [String: Int] = [:]
    for (entity, properties) in Self.ordered(properties) {
      var request = FetchRequest<ManagedObject>(entityName: entity)
      for property in properties {
        for condition in Self.conditions(on: property) {
          let count = attempts.value { () throws(PerennialError) in
            request.predicate = try FetchPredicate(parsing: condition, arguments: [property.name])
            return try context.count(for: request)
          }
          if let count { counts["\(entity) \(condition) \(property.name)"] = count }
        }
      }
    }
    return counts
  }

  /// Properties in the same order in every process, so that a seed does the same again.
  static func ordered(
    _ properties: [String: [PropertyDescription]]
  ) -> [(String, [PropertyDescription])] {
    properties.sorted { $0.key < $1.key }
  }

  private static func conditions(on property: PropertyDescription) -> [String] {
    switch property {
    // The save gives them their values.
    case .attribute(let attribute) where attribute.derivationExpression != nil: []
    case .attribute(let attribute) where attribute.type == .string:
      ["%K == nil", "%K CONTAINS[cd] 'TEXT'", "%K IN {'text 1', 'text 3'}"]
    case .attribute: ["%K == nil", "%K != nil"]
    case .relationship(let relationship) where relationship.isToMany:
      ["%K.@count > 0", "SUBQUERY(%K, $m, $m != nil).@count == 2"]
    case .relationship: ["%K == nil", "%K != nil"]
    }
  }

  /// Fetches by the order and the groups of every attribute.
  ///
  /// - Returns: What came of each of these, in words that are the same for every kind of store.
  mutating func ask(_ container: PersistentContainer) -> [String: String] {
    let context = container.newBackgroundContext()
    var answers: [String: String] = [:]
    for (entity, properties) in Self.ordered(Self.properties(of: container.managedObjectModel)) {
      for case .attribute(let attribute) in properties where !Self.isOfItsTime(attribute) {
        answers["\(entity) by \(attribute.name)"] = order(of: entity, by: attribute, context)
        answers["groups of \(entity) by \(attribute.name)"] =
          groups(of: entity, by: attribute, context)
      }
    }
    return answers
  }

  /// Changes all objects where they lie, and deletes them.
  ///
  /// - Returns: What came of each of these, in words that are the same for every kind of store.
  mutating func changeAll(in container: PersistentContainer) -> [String: String] {
    let context = container.newBackgroundContext()
    var answers: [String: String] = [:]
    let properties = Self.ordered(Self.properties(of: container.managedObjectModel))
    for (entity, properties) in properties {
      answers["update of \(entity)"] = update(entity, properties, context)
    }
    for (entity, _) in properties {
      let request = FetchRequest<ManagedObject>(entityName: entity)
      answers["deletion of \(entity)"] = answer {
        "\(try context.execute(BatchDeleteRequest(request)).count)"
      }
    }
    return answers
  }

  /// Whether the value depends on when it was saved.
  private static func isOfItsTime(_ attribute: AttributeDescription) -> Bool {
    attribute.type == .date && attribute.derivationExpression != nil
  }

  private mutating func order(
    of entity: String,
    by attribute: AttributeDescription,
    _ context: ManagedObjectContext
  ) -> String {
    var request = FetchRequest<ManagedObject>(entityName: entity)
    request.sortDescriptors = [FetchSort(attribute.name, ascending: false)]
    return answer {
      try context.fetch(request).map { Self.text(try $0.value(forKey: attribute.name)) }
        .joined(separator: "; ")
    }
  }

  private static let numbers: Set<AttributeType> = [
    .int16, .int32, .int64, .decimal, .double, .float,
  ]

  private mutating func groups(
    of entity: String,
    by attribute: AttributeDescription,
    _ context: ManagedObjectContext
  ) -> String {
    var request = FetchRequest<ManagedObject>(entityName: entity)
    request.propertiesToGroupBy = [attribute.name]
    let functions =
      Self.numbers.contains(attribute.type) ? ["count", "max", "sum"] : ["count", "max"]
    return answer {
      let values = try functions.map { function in
        try ExpressionDescription(
          function,
          parsing: "\(function):(%K)",
          arguments: [attribute.name]
        )
      }
      request.propertiesToFetch = [.property(attribute.name)] + values.map { .expression($0) }
      return try context.fetchDictionaries(request).map(Self.text).sorted().joined(separator: "; ")
    }
  }

  private mutating func update(
    _ entity: String,
    _ properties: [PropertyDescription],
    _ context: ManagedObjectContext
  ) -> String {
    var request = BatchUpdateRequest(entityName: entity)
    for case .attribute(let attribute) in properties where attribute.derivationExpression == nil {
      request.propertiesToUpdate[attribute.name] = Self.value(of: attribute, 3)
    }
    return answer { "\(try context.execute(request).count)" }
  }

  private static func text(_ value: (any Sendable)?) -> String {
    switch value {
    case nil: "nil"
    case let values as [String: any Sendable]:
      values.sorted { $0.key < $1.key }.map { "\($0) \(text($1))" }.joined(separator: ", ")
    case let value?: "\(value)"
    }
  }

  /// What came of a question; batch requests may throw what is the program's own, but not here.
  private mutating func answer(_ step: () throws -> String) -> String {
    var answer = ""
    var stranger: (any Error)?
    attempts.attempt { () throws(PerennialError) in
      do {
        answer = try step()
      } catch let error as PerennialError {
        answer = "error \(error.code)"
        throw error
      } catch {
        stranger = error
      }
    }
    if let stranger { attempts.problem = "an error of another type: \(stranger)" }
    return answer
  }
}
