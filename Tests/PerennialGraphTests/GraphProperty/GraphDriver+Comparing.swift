// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate

// Whether graph and oracle agree.

extension GraphDriver {
  func fetch() throws {
    for entity in Set(Self.entities) {
      let found = try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
      let expected = oracle.live(entity)
      guard found.count == expected.count,
        Set(found) == Set(try expected.map { try object($0) })
      else { throw GraphMismatch("fetch of \(entity): \(found.count), not \(expected.count)") }
    }
    var request = FetchRequest<PNode>()
    request.predicate = "number == 1 AND name == ''"
    let count = oracle.objects.values.count {
      $0.entity == "PNode" && $0.number == 1 && $0.name == ""
    }
    guard try context.count(for: request) == count else { throw GraphMismatch("filtered count") }
    request.predicate = "tags.@count > 0 AND parent != NIL"
    let linked = oracle.objects.values.count {
      $0.entity == "PNode" && $0.toManys["tags"]?.isEmpty == false && $0.toOnes["parent"] != nil
    }
    guard try context.count(for: request) == linked else { throw GraphMismatch("linked count") }
  }

  func check() throws {
    if oracle.hasObjectChanges, !context.hasChanges { throw GraphMismatch("no changes") }
    for id in oracle.objects.keys.sorted() {
      let object = try object(id)
      guard object.isInserted == oracle.inserted.contains(id) else {
        throw GraphMismatch("\(id).isInserted is \(object.isInserted)")
      }
      let changes = membershipChanges(of: id)
      guard
        object.isUpdated == (oracle.updated.contains(id) || changes == true)
          || changes == nil || uncertain.contains(id) && !oracle.updated.contains(id)
      else {
        throw GraphMismatch("\(id).isUpdated is \(object.isUpdated)")
      }
      guard !object.isDeleted else { throw GraphMismatch("\(id) is deleted") }
      try GraphComparison(
        object: object,
        expected: oracle.objects[id] ?? .init(entity: ""),
        number: id,
        numbers: { try self.object($0) }
      ).run()
    }
    if let error = context.lastFaultError { throw GraphMismatch("fault error: \(error)") }
  }

  /// Whether the to-many members of a saved object differ from what was saved; `nil` when it has
  /// ordered ones, which count as changed also when they are the same again.
  private func membershipChanges(of id: Int) -> Bool? {
    guard let object = oracle.objects[id], let saved = committed.objects[id],
      !oracle.inserted.contains(id)
    else { return false }
    let relationships = PModel.relationships[object.entity] ?? []
    let differ = relationships.contains { relationship in
      Set(object.toManys[relationship.name] ?? []) != Set(saved.toManys[relationship.name] ?? [])
    }
    return !differ && relationships.contains(where: \.isOrdered) ? nil : differ
  }

  /// Compares what a fresh context reads with what was saved.
  func reread() throws {
    for ancestor in ancestors {
      try ancestor.save()
      if ancestor.hasChanges { throw GraphMismatch("changes above after a save") }
    }
    let fresh = ManagedObjectContext(coordinator: world.coordinator)
    for (id, object) in objects where !object.objectID.isTemporaryID {
      world.ids[id] = object.objectID
    }
    var found: [Int: ManagedObject] = [:]
    for id in committed.objects.keys {
      guard let known = world.ids[id] else { throw GraphMismatch("no ID of \(id)") }
      found[id] = try fresh.existingObject(with: known)
    }
    for entity in Set(Self.entities) {
      let count = try fresh.count(for: FetchRequest<ManagedObject>(entityName: entity))
      guard count == committed.live(entity).count else {
        throw GraphMismatch("stored \(entity): \(count)")
      }
    }
    for (id, expected) in committed.objects {
      guard let object = found[id] else { continue }
      try GraphComparison(object: object, expected: expected, number: id) { number in
        guard let other = found[number] else { throw GraphMismatch("no \(number)") }
        return other
      }.run()
    }
    if let error = fresh.lastFaultError { throw GraphMismatch("fault error: \(error)") }
  }
}

/// Compares one object with what it should be.
struct GraphComparison {
  let object: ManagedObject
  let expected: GraphOracle.Object
  let number: Int
  let numbers: (Int) throws -> ManagedObject

  func run() throws {
    guard try object.value(forKey: "name") as? String == expected.name else {
      throw GraphMismatch("\(number).name")
    }
    if expected.entity == "PNode" {
      let value = try object.value(forKey: "number") as? Int64
      guard value == expected.number.map(Int64.init) else {
        throw GraphMismatch("\(number).number")
      }
    }
    for relationship in PModel.relationships[expected.entity] ?? [] {
      if relationship.isToMany {
        try compareMembers(relationship)
      } else {
        try compareOne(relationship)
      }
    }
  }

  private func compareOne(_ relationship: PRelationship) throws {
    let target = try object.object(forKey: relationship.name)
    let wanted = try expected.toOnes[relationship.name].map { try numbers($0) }
    guard target === wanted else { throw GraphMismatch("\(number).\(relationship.name)") }
  }

  private func compareMembers(_ relationship: PRelationship) throws {
    let name = "\(number).\(relationship.name)"
    let wanted = try (expected.toManys[relationship.name] ?? []).map { try numbers($0) }
    let view: ToMany<ManagedObject> = object._get(relationship.place)
    guard view.count == wanted.count else {
      throw GraphMismatch("\(name).count is \(view.count), not \(wanted.count)")
    }
    for member in wanted where !view.contains(member) { throw GraphMismatch("\(name).contains") }
    let members = Array(view)
    guard members.count == wanted.count, Set(members) == Set(wanted) else {
      let found = members.map { $0.objectID.description }.joined(separator: " ")
      throw GraphMismatch("\(name) has other members: \(found)")
    }
    guard relationship.isOrdered else { return }
    let list: OrderedToMany<PNode> = object._get(relationship.place)
    guard list.count == wanted.count, list.map({ $0 as ManagedObject }) == wanted else {
      let order = members.map { $0.objectID.description }.joined(separator: " ")
      throw GraphMismatch("\(name) has another order: \(order)")
    }
  }
}
