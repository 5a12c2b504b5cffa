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
  /// Whether more than names, numbers and new objects waits for a save.
  var hasStructure = false

  init(_ world: GraphWorld, depth: Int, mergesByItself: Bool) {
    self.world = world
    var ancestors: [ManagedObjectContext] = []
    var innermost = ManagedObjectContext(coordinator: world.coordinator)
    for _ in 0..<depth {
      ancestors.insert(innermost, at: 0)
      innermost = ManagedObjectContext(parent: innermost)
    }
    self.ancestors = ancestors
    context = innermost
    context.undoManager = manager
    if mergesByItself { context.automaticallyMergesChangesFromParent = true }
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
    let object = try object(id)
    let found = Array(set(object, relationship)).count
    guard found == count else {
      throw GraphMismatch("\(id).\(relationship.name) has \(found) members, not \(count)")
    }
    return list(object, relationship)
  }

  private func set(_ object: ManagedObject, _ relationship: PRelationship) -> ToMany<ManagedObject>
  {
    object._get(relationship.place)
  }

  // MARK: Steps

  func run(_ step: GraphStep) throws {
    guard isAllowed(step) else { return }
    let before = undoState
    try perform(step)
    if step.isStructural { hasStructure = context.hasChanges }
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
      guard let id = pick(number), isEditable(id) else { return }
      let name = String(repeating: "x", count: length)
      try object(id).setValue(name, forKey: "name")
      oracle.setName(id, name)
    case .setNumber(let number, let value):
      guard let id = pick(number, "PNode"), isEditable(id) else { return }
      try object(id).setValue(value, forKey: "number")
      oracle.setNumber(id, value)
    case .setOne(let number, let choice, let target):
      guard let id = pick(number),
        let relationship = relationship(choice, of: id, where: { !$0.isToMany })
      else { return }
      let other = target.flatMap { pick($0, relationship.destination) }
      if world.hasDefect { return try setWithoutInverse(id, relationship, other) }
      try object(id).setObject(other.map { try object($0) }, forKey: relationship.name)
      oracle.setOne(id, relationship, other)
    case .delete(let number):
      guard let id = pick(number), isDeletable(id) else { return }
      context.delete(try object(id))
      try context.processPendingChanges()
      oracle.delete(id)
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
    case .undo: try undo()
    case .redo: try redo()
    case .undoAll: while manager.canUndo { try undo() }
    case .redoAll: while manager.canRedo { try redo() }
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
      try list(id, relationship, of: members.count).move(from: source, to: target)
      members.insert(members.remove(at: source), at: target)
      oracle.replace(id, relationship, members)
    case .insertAt(let number, let choice, let member, let at):
      guard let (id, relationship) = owner(number, choice, ordered: true),
        let other = pick(member, relationship.destination), let node = try object(other) as? PNode
      else { return }
      var members = oracle.objects[id]?.toManys[relationship.name] ?? []
      let list = try list(id, relationship, of: members.count)
      members.removeAll { $0 == other }
      let place = at % (members.count + 1)
      list.insert(node, at: place)
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

  /// Makes the oracle what is saved.
  func takeCommitted() {
    oracle = committed
    hasStructure = false
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
    hasStructure = false
    uncertain = []
    if context.hasChanges { throw GraphMismatch("changes after a save") }
    try world.commit(oracle, of: self)
  }
}
