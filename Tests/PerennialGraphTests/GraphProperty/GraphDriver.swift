// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore

/// Why graph and oracle disagree.
struct GraphMismatch: Error {
  let text: String

  init(_ text: String) { self.text = text }
}

/// Runs steps on a context, which may be a child of others, and on the oracle, and compares them.
final class GraphDriver {
  private static let entities = ["PNode", "PNode", "PNode", "PBox", "PTag", "PBadge"]

  private let coordinator: StoreCoordinator
  let context: ManagedObjectContext
  /// The contexts above, the nearest first.
  private var ancestors: [ManagedObjectContext] = []
  private let folder: URL
  var oracle = GraphOracle()
  var committed = GraphOracle()
  var objects: [Int: ManagedObject] = [:]
  private var ids: [Int: ManagedObjectID] = [:]
  private var nextID = 0
  let manager = ContextUndoManager()
  /// What each group of the undo manager leads back to, and each group to redo leads to.
  var undoStates: [GraphUndoState] = []
  var redoStates: [GraphUndoState] = []
  var saveCount = 0

  init(_ kind: StoreKind, depth: Int = 0) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let model = try ManagedObjectModel(entities: PModel.classes.map { $0.entity })
    coordinator = StoreCoordinator(
      store: try kind.open(model.layout, in: folder),
      classes: Dictionary(uniqueKeysWithValues: PModel.classes.map { ($0.entityName, $0) })
    )
    var innermost = ManagedObjectContext(coordinator: coordinator)
    for _ in 0..<depth {
      ancestors.insert(innermost, at: 0)
      innermost = ManagedObjectContext(parent: innermost)
    }
    context = innermost
    context.undoManager = manager
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  // MARK: Choosing

  private func pick(_ number: Int, _ entity: String? = nil) -> Int? {
    let live = entity.map { oracle.live($0) } ?? oracle.objects.keys.sorted()
    return live.isEmpty ? nil : live[number % live.count]
  }

  private func relationship(
    _ number: Int,
    of id: Int,
    where isWanted: (PRelationship) -> Bool
  ) -> PRelationship? {
    let entity = oracle.objects[id]?.entity ?? ""
    let all = (PModel.relationships[entity] ?? []).filter(isWanted)
    return all.isEmpty ? nil : all[number % all.count]
  }

  func object(_ id: Int) throws -> ManagedObject {
    if let object = objects[id] { return object }
    guard let known = ids[id] else { throw GraphMismatch("no ID of \(id)") }
    let object = try context.existingObject(with: known)
    objects[id] = object
    return object
  }

  private func list(_ object: ManagedObject, _ relationship: PRelationship) -> OrderedToMany<PNode>
  {
    object._get(relationship.place)
  }

  private func set(_ object: ManagedObject, _ relationship: PRelationship) -> ToMany<ManagedObject>
  {
    object._get(relationship.place)
  }

  // MARK: Steps

  func run(_ step: GraphStep) throws {
    let before = undoState
    try perform(step)
    switch step {
    case .undo, .redo: break
    default: try noteGroup(before)
    }
  }

  private func perform(_ step: GraphStep) throws {
    switch step {
    case .insert(let number):
      let entity = Self.entities[number % Self.entities.count]
      guard oracle.live(entity).count < 12 else { return }
      let object = try context.insert(entityNamed: entity)
      oracle.insert(nextID, entity)
      objects[nextID] = object
      ids[nextID] = object.objectID
      nextID += 1
    case .setName(let number, let length):
      guard let id = pick(number) else { return }
      let name = String(repeating: "x", count: length)
      try object(id).setValue(name, forKey: "name")
      oracle.setName(id, name)
    case .setNumber(let number, let value):
      guard let id = pick(number, "PNode") else { return }
      try object(id).setValue(value, forKey: "number")
      oracle.setNumber(id, value)
    case .setOne(let number, let choice, let target):
      guard let id = pick(number),
        let relationship = relationship(choice, of: id, where: { !$0.isToMany })
      else { return }
      let other = target.flatMap { pick($0, relationship.destination) }
      try object(id).setObject(other.map { try object($0) }, forKey: relationship.name)
      oracle.setOne(id, relationship, other)
    case .delete(let number):
      guard let id = pick(number) else { return }
      context.delete(try object(id))
      try context.processPendingChanges()
      oracle.delete(id)
      dropDead()
    case .save: try save()
    case .rollback:
      context.rollback()
      oracle = committed
      dropDead()
      if context.hasChanges { throw GraphMismatch("changes after a rollback") }
    case .fetch: try fetch()
    case .forget:
      for (id, object) in objects { ids[id] = object.objectID }
      objects = [:]
    case .reread: try reread()
    case .check: try check()
    case .undo: try undo()
    case .redo: try redo()
    case .group(let begins):
      if begins { manager.beginUndoGrouping() } else { manager.endUndoGrouping() }
    case .process: try context.processPendingChanges()
    default: try runMembers(step)
    }
  }

  private func runMembers(_ step: GraphStep) throws {
    switch step {
    case .insertMember(let number, let choice, let member):
      guard let (id, relationship) = owner(number, choice),
        let other = pick(member, relationship.destination)
      else { return }
      if relationship.isOrdered, number % 2 == 0, let node = try object(other) as? PNode {
        list(try object(id), relationship).append(node)
      } else {
        set(try object(id), relationship).insert(try object(other))
      }
      oracle.insertMember(id, relationship, other)
    case .removeMember(let number, let choice, let member):
      guard let (id, relationship) = owner(number, choice) else { return }
      let members = oracle.objects[id]?.toManys[relationship.name] ?? []
      guard !members.isEmpty else { return }
      let other = members[member % members.count]
      set(try object(id), relationship).remove(try object(other))
      oracle.removeMember(id, relationship, other)
    case .replace(let number, let choice, let numbers):
      guard let (id, relationship) = owner(number, choice) else { return }
      var members: [Int] = []
      for number in numbers {
        if let other = pick(number, relationship.destination), !members.contains(other) {
          members.append(other)
        }
      }
      let found = try members.map { try object($0) }
      if relationship.isOrdered {
        try object(id)._set(relationship.place, OrderedToMany(found))
      } else {
        try object(id)._set(relationship.place, ToMany(found))
      }
      oracle.replace(id, relationship, members)
    case .move(let number, let choice, let from, let to):
      guard let (id, relationship) = owner(number, choice, ordered: true),
        var members = oracle.objects[id]?.toManys[relationship.name], !members.isEmpty
      else { return }
      let (source, target) = (from % members.count, to % members.count)
      list(try object(id), relationship).move(from: source, to: target)
      members.insert(members.remove(at: source), at: target)
      oracle.replace(id, relationship, members)
    case .insertAt(let number, let choice, let member, let at):
      guard let (id, relationship) = owner(number, choice, ordered: true),
        let other = pick(member, relationship.destination), let node = try object(other) as? PNode
      else { return }
      var members = (oracle.objects[id]?.toManys[relationship.name] ?? []).filter { $0 != other }
      let place = at % (members.count + 1)
      list(try object(id), relationship).insert(node, at: place)
      members.insert(other, at: place)
      oracle.replace(id, relationship, members)
    default: break
    }
  }

  private func owner(
    _ number: Int,
    _ choice: Int,
    ordered: Bool = false
  ) -> (Int, PRelationship)? {
    guard let id = pick(number, ordered ? (number % 2 == 0 ? "PBox" : "PTag") : nil),
      let relationship = relationship(choice, of: id, where: { $0.isToMany })
    else { return nil }
    return (id, relationship)
  }

  func dropDead() {
    let live = oracle.objects
    objects = objects.filter { live[$0.key] != nil }
  }

  /// Saves the context, and then some of those above it.
  private func save() throws {
    try context.save()
    for ancestor in ancestors.prefix(saveCount % (ancestors.count + 1)) { try ancestor.save() }
    saveCount += 1
    oracle = oracle.saved
    committed = oracle
    for (id, object) in objects { ids[id] = object.objectID }
    if context.hasChanges { throw GraphMismatch("changes after a save") }
  }

  private func fetch() throws {
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

  // MARK: Comparing

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
          || changes == nil
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
  private func reread() throws {
    for ancestor in ancestors {
      try ancestor.save()
      if ancestor.hasChanges { throw GraphMismatch("changes above after a save") }
    }
    let fresh = ManagedObjectContext(coordinator: coordinator)
    for (id, object) in objects where !object.objectID.isTemporaryID { ids[id] = object.objectID }
    var found: [Int: ManagedObject] = [:]
    for id in committed.objects.keys {
      guard let known = ids[id] else { throw GraphMismatch("no ID of \(id)") }
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
      throw GraphMismatch("\(name) has other members")
    }
    guard relationship.isOrdered else { return }
    let list: OrderedToMany<PNode> = object._get(relationship.place)
    guard list.count == wanted.count, list.map({ $0 as ManagedObject }) == wanted else {
      let order = members.map { $0.objectID.description }.joined(separator: " ")
      throw GraphMismatch("\(name) has another order: \(order)")
    }
  }
}
