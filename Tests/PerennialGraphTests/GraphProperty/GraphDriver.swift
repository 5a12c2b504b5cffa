// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel

/// Why graph and oracle disagree.
struct GraphMismatch: Error {
  let text: String

  init(_ text: String) { self.text = text }
}

/// Runs steps on a context of a world, which may be a child of others, and on the oracle, and
/// compares them.
final class GraphDriver {
  static let entities = ["PNode", "PNode", "PNode", "PBox", "PTag", "PBadge"]

  unowned let world: GraphWorld
  let context: ManagedObjectContext
  /// The contexts above, the nearest first.
  let ancestors: [ManagedObjectContext]
  var oracle = GraphOracle()
  var objects: [Int: ManagedObject] = [:]
  let manager = ContextUndoManager()
  /// What each group of the undo manager leads back to, and each group to redo leads to.
  var undoStates: [GraphUndoState] = []
  var redoStates: [GraphUndoState] = []
  /// Objects that have their saved values after an undo: they may count as changed or not.
  var uncertain: Set<Int> = []

  init(_ world: GraphWorld, _ context: ManagedObjectContext, _ ancestors: [ManagedObjectContext]) {
    self.world = world
    self.context = context
    self.ancestors = ancestors
    context.undoManager = manager
  }

  var committed: GraphOracle { world.committed }

  // MARK: Choosing

  func pick(_ number: Int, _ entity: String? = nil) -> Int? {
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
    guard let known = world.ids[id] else { throw GraphMismatch("no ID of \(id)") }
    let object = try context.existingObject(with: known)
    objects[id] = object
    return object
  }

  private func list(_ object: ManagedObject, _ relationship: PRelationship) -> OrderedToMany<PNode>
  {
    object._get(relationship.place)
  }

  /// The ordered members of an object; another number of them is a mismatch, because places among
  /// the expected members would be out of bounds there.
  private func list(
    _ id: Int,
    _ relationship: PRelationship,
    of count: Int
  ) throws -> OrderedToMany<PNode> {
    let found = try members(of: id, relationship).count
    guard found == count else {
      throw GraphMismatch("\(id).\(relationship.name) has \(found) members, not \(count)")
    }
    return list(try object(id), relationship)
  }

  private func set(_ object: ManagedObject, _ relationship: PRelationship) -> ToMany<ManagedObject>
  {
    object._get(relationship.place)
  }

  func members(of id: Int, _ relationship: PRelationship) throws -> [ManagedObject] {
    Array(set(try object(id), relationship))
  }

  // MARK: Steps

  func run(_ step: GraphStep) throws {
    let before = undoState
    try perform(step)
    switch step {
    case .undo, .redo, .undoAll, .redoAll: break
    default: try noteGroup(before)
    }
  }

  private func perform(_ step: GraphStep) throws {
    switch step {
    case .insert(let number):
      let entity = Self.entities[number % Self.entities.count]
      guard oracle.live(entity).count < 12 else { return }
      let object = try context.insert(entityNamed: entity)
      let id = world.newID(object.objectID)
      oracle.insert(id, entity)
      objects[id] = object
    case .setName(let number, let length):
      let name = String(repeating: "x", count: length)
      guard let id = pick(number), let next = plan({ $0.setName(id, name) }) else { return }
      try object(id).setValue(name, forKey: "name")
      oracle = next
    case .setNumber(let number, let value):
      guard let id = pick(number, "PNode"), let next = plan({ $0.setNumber(id, value) })
      else { return }
      try object(id).setValue(value, forKey: "number")
      oracle = next
    case .setOne(let number, let choice, let target):
      guard let id = pick(number),
        let relationship = relationship(choice, of: id, where: { !$0.isToMany })
      else { return }
      let other = target.flatMap { pick($0, relationship.destination) }
      if world.hasDefect { return try setWithoutInverse(id, relationship, other) }
      guard let next = plan({ $0.setOne(id, relationship, other) }) else { return }
      try object(id).setObject(other.map { try object($0) }, forKey: relationship.name)
      oracle = next
    case .delete(let number):
      guard let id = pick(number), let next = plan({ $0.delete(id) }) else { return }
      context.delete(try object(id))
      try context.processPendingChanges()
      oracle = next
      dropDead()
    case .save: try save()
    case .rollback:
      context.rollback()
      takeCommitted()
      if context.hasChanges { throw GraphMismatch("changes after a rollback") }
    case .fetch: try fetch()
    case .forget:
      noteIDs()
      objects = [:]
    case .reread: try reread()
    case .check: try check()
    case .checkAll: try world.check()
    case .undo: if mayUndo { try undo() }
    case .redo: if mayRedo { try redo() }
    case .undoAll: while manager.canUndo, mayUndo { try undo() }
    case .redoAll: while manager.canRedo, mayRedo { try redo() }
    case .group(let begins):
      if begins { manager.beginUndoGrouping() } else { manager.endUndoGrouping() }
    case .process: try context.processPendingChanges()
    case .refresh(let number, let merges): try refresh(number, merges)
    case .refreshAll: context.refreshAllObjects()
    case .reset: reset()
    case .conflict(let number, let choice): try conflict(number, choice)
    default: try runMembers(step)
    }
  }

  private func runMembers(_ step: GraphStep) throws {
    switch step {
    case .insertMember(let number, let choice, let member):
      guard let (id, relationship) = owner(number, choice),
        let other = pick(member, relationship.destination),
        let next = plan({ $0.insertMember(id, relationship, other) })
      else { return }
      if relationship.isOrdered, number % 2 == 0, let node = try object(other) as? PNode {
        list(try object(id), relationship).append(node)
      } else {
        set(try object(id), relationship).insert(try object(other))
      }
      oracle = next
    case .removeMember(let number, let choice, let member):
      guard let (id, relationship) = owner(number, choice) else { return }
      let members = oracle.objects[id]?.toManys[relationship.name] ?? []
      guard !members.isEmpty else { return }
      let other = members[member % members.count]
      guard let next = plan({ $0.removeMember(id, relationship, other) }) else { return }
      set(try object(id), relationship).remove(try object(other))
      oracle = next
    case .replace(let number, let choice, let numbers):
      guard let (id, relationship) = owner(number, choice) else { return }
      var members: [Int] = []
      for number in numbers {
        if let other = pick(number, relationship.destination), !members.contains(other) {
          members.append(other)
        }
      }
      guard let next = plan({ $0.replace(id, relationship, members) }) else { return }
      let found = try members.map { try object($0) }
      if relationship.isOrdered {
        try object(id)._set(relationship.place, OrderedToMany(found))
      } else {
        try object(id)._set(relationship.place, ToMany(found))
      }
      oracle = next
    case .move(let number, let choice, let from, let to):
      guard let (id, relationship) = owner(number, choice, ordered: true),
        var members = oracle.objects[id]?.toManys[relationship.name], !members.isEmpty
      else { return }
      let (source, target) = (from % members.count, to % members.count)
      try list(id, relationship, of: members.count).move(from: source, to: target)
      members.insert(members.remove(at: source), at: target)
      oracle.replace(id, relationship, members)
    case .insertAt(let number, let choice, let member, let at):
      guard let (id, relationship) = owner(number, choice, ordered: true),
        let other = pick(member, relationship.destination), let node = try object(other) as? PNode
      else { return }
      var members = oracle.objects[id]?.toManys[relationship.name] ?? []
      let count = members.count
      members.removeAll { $0 == other }
      let place = at % (members.count + 1)
      members.insert(other, at: place)
      guard let next = plan({ $0.replace(id, relationship, members) }) else { return }
      try list(id, relationship, of: count).insert(node, at: place)
      oracle = next
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

  /// Makes the oracle what is saved.
  func takeCommitted() {
    oracle = committed
    uncertain = []
    dropDead()
  }

  private func noteIDs() {
    for (id, object) in objects { world.ids[id] = object.objectID }
  }

  func dropDead() {
    let live = oracle.objects
    objects = objects.filter { live[$0.key] != nil }
  }

  /// Saves the context, and then some of those above it.
  private func save() throws {
    try context.save()
    let count = world.saveCount % (ancestors.count + 1)
    for ancestor in ancestors.prefix(count) { try ancestor.save() }
    noteIDs()
    oracle = oracle.saved
    uncertain = []
    if context.hasChanges { throw GraphMismatch("changes after a save") }
    try world.commit(oracle, of: self)
  }
}
