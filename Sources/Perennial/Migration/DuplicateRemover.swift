// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate

/// Makes one object of those of an entity that share their values of some attributes.
struct DuplicateRemover {
  let context: ManagedObjectContext
  let model: ModelLayout
  let entity: EntityLayout
  let names: [String]
  let sort: FetchSort?
  let keeping: Deduplication.Keeping

  /// How many groups are saved at once.
  private static let groupLimit = 200

  /// - Returns: How many objects are gone.
  func run() throws(PerennialError) -> Int {
    var count = 0
    var pending = 0
    for values in try groups() {
      let objects = try members(of: values)
      guard objects.count > 1 else { continue }
      let kept = keeping == .last ? objects.count - 1 : 0
      for (index, object) in objects.enumerated() where index != kept {
        try merge(object, into: objects[kept])
        context.delete(object)
        count += 1
      }
      pending += 1
      if pending == Self.groupLimit {
        try context.save()
        context.reset()
        pending = 0
      }
    }
    if context.hasChanges { try context.save() }
    return count
  }

  /// The values that several objects have.
  private func groups() throws(PerennialError) -> [[String: any Sendable]] {
    var request = FetchRequest<ManagedObject>(entityName: entity.name)
    request.propertiesToFetch = names.map { .property($0) }
    let count = try ExpressionDescription(
      "perennialCount",
      parsing: "count(%K)",
      arguments: [names[0]]
    )
    request.propertiesToFetch.append(.expression(count))
    request.propertiesToGroupBy = names
    request.havingPredicate = try FetchPredicate(parsing: "perennialCount > 1")
    return try context.fetchDictionaries(request).filter { group in
      names.allSatisfy { group[$0] != nil }
    }
  }

  private func members(of values: [String: any Sendable]) throws(PerennialError) -> [ManagedObject]
  {
    var request = FetchRequest<ManagedObject>(entityName: entity.name)
    var arguments: [(any Sendable)?] = []
    for name in names { arguments += [name, values[name]] }
    request.predicate = try FetchPredicate(
      parsing: names.map { _ in "%K == %@" }.joined(separator: " AND "),
      arguments: arguments
    )
    if let sort { request.sortDescriptors = [sort] }
    return Array(try context.fetch(request))
  }

  /// Gives an object's relationships, and perhaps values, to another.
  private func merge(_ object: ManagedObject, into kept: ManagedObject) throws(PerennialError) {
    let layout = try model.entity(named: object.objectID.entityName)
    for slot in layout.slots {
      if slot.relationship != nil {
        let target = try object.object(forKey: slot.name)
        // Let go first: the way back of a one-to-one leads to one object only.
        try object.setObject(nil, forKey: slot.name)
        if try kept.object(forKey: slot.name) == nil, let target, target != kept {
          try kept.setObject(target, forKey: slot.name)
        }
      } else if keeping == .merged, slot.attribute?.derivationExpression == nil,
        !slot.name.contains("."),
        try kept.value(forKey: slot.name) == nil
      {
        try kept.setValue(try object.value(forKey: slot.name), forKey: slot.name)
      }
    }
    for relationship in layout.toManys {
      let members = Array(try object.objects(forKey: relationship.name))
      let own = try object.objects(forKey: relationship.name)
      let others = try kept.objects(forKey: relationship.name)
      for member in members {
        own.remove(member)
        if member != kept { others.insert(member) }
      }
    }
    try redirect(object, to: kept, layout)
  }

  /// Leads relationships without a way back to the object that stays.
  private func redirect(
    _ object: ManagedObject,
    to kept: ManagedObject,
    _ layout: EntityLayout
  ) throws(PerennialError) {
    for owner in model.entities {
      let relationships = owner.slots.compactMap(\.relationship) + owner.toManys
      for relationship in relationships
      where relationship.entity == owner.index && relationship.inverse == nil
        && model.entities[relationship.destination].family.contains(layout.index)
      {
        var request = FetchRequest<ManagedObject>(entityName: owner.name)
        request.predicate = try FetchPredicate(
          parsing: relationship.isToMany ? "ANY %K == %@" : "%K == %@",
          arguments: [relationship.name, object.objectID]
        )
        for found in try context.fetch(request) {
          if relationship.isToMany {
            let members = try found.objects(forKey: relationship.name)
            members.remove(object)
            members.insert(kept)
          } else {
            try found.setObject(kept, forKey: relationship.name)
          }
        }
      }
    }
  }
}
