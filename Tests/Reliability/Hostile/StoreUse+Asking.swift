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
  private static func ordered(
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

  /// Fetches by the order and the groups of every attribute, then changes and deletes all where it lies.
  mutating func ask(_ container: PersistentContainer) {
    let context = container.newBackgroundContext()
    let properties = Self.ordered(Self.properties(of: container.managedObjectModel))
    for (entity, properties) in properties {
      for case .attribute(let attribute) in properties {
        sort(entity, by: attribute.name, context)
      }
      update(entity, properties, context)
    }
    for (entity, _) in properties {
      let request = FetchRequest<ManagedObject>(entityName: entity)
      execute { _ = try context.execute(BatchDeleteRequest(request)) }
    }
  }

  private mutating func sort(_ entity: String, by name: String, _ context: ManagedObjectContext) {
    var request = FetchRequest<ManagedObject>(entityName: entity)
    request.sortDescriptors = [FetchSort(name, ascending: false)]
    attempts.attempt { () throws(PerennialError) in _ = try context.fetch(request) }
    request.sortDescriptors = []
    request.propertiesToGroupBy = [name]
    attempts.attempt { () throws(PerennialError) in _ = try context.fetchDictionaries(request) }
  }

  private mutating func update(
    _ entity: String,
    _ properties: [PropertyDescription],
    _ context: ManagedObjectContext
  ) {
    var request = BatchUpdateRequest(entityName: entity)
    for case .attribute(let attribute) in properties where attribute.derivationExpression == nil {
      request.propertiesToUpdate[attribute.name] = Self.value(of: attribute, 3)
    }
    execute { _ = try context.execute(request) }
  }

  /// Executes a batch request, whose errors may be the program's own; here there are none of these.
  private mutating func execute(_ step: () throws -> Void) {
    var stranger: (any Error)?
    attempts.attempt { () throws(PerennialError) in
      do {
        try step()
      } catch let error as PerennialError {
        throw error
      } catch {
        stranger = error
      }
    }
    if let stranger { attempts.problem = "an error of another type: \(stranger)" }
  }
}
