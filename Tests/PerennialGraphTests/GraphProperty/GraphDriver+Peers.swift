// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel

// Several contexts on one store, or on one parent.
//
// Any of them may do anything at any time, unless it would not go together with what another one is
// about to save (see `GraphEdits`): what then happens is for other tests to say.

extension GraphDriver {
  private var peers: [GraphDriver] { world.drivers.filter { $0 !== self } }

  /// Whether a graph goes together with what the other contexts are about to save.
  func isAllowed(_ next: GraphOracle) -> Bool {
    let peers = peers
    guard !peers.isEmpty else { return true }
    let mine = GraphEdits(of: next, since: committed)
    return peers.allSatisfy { mine.goes(with: GraphEdits(of: $0.oracle, since: committed)) }
  }

  /// The graph after a change; `nil` for one that is not allowed.
  func plan(_ change: (inout GraphOracle) -> Void) -> GraphOracle? {
    var next = oracle
    change(&next)
    return isAllowed(next) ? next : nil
  }

  /// Whether nobody else is about to delete an object.
  private func isEditable(_ id: Int) -> Bool { peers.allSatisfy { $0.oracle.objects[id] != nil } }

  /// What was set here and not saved: it stays when others save.
  func pendingEdits() -> GraphMerge.Pending {
    var pending = GraphMerge.Pending()
    for (id, known) in world.ids {
      guard let object = objects[id] ?? context.registeredObject(for: known), object.hasChanges
      else { continue }
      pending.owners.insert(id)
      pending.keys[id] = Set(object.changedValues().keys)
    }
    return pending
  }

  /// Takes over what another context has saved, in one of the ways in which a context can.
  func catchUp(from base: GraphOracle, _ pending: GraphMerge.Pending, way: Int) throws {
    switch way % 3 {
    case 0: try context.processPendingChanges()
    case 1: context.refreshAllObjects()
    default:
      // A fetch merges what is no conflict, and leaves the rest to be asked for.
      _ = try context.count(for: FetchRequest<PBox>())
      try context.processPendingChanges()
    }
    let merge = GraphMerge(base: base, saved: committed, mine: oracle, pending)
    oracle.objects = merge.objects
    try adoptOrders(merge.reordered)
    forgetUndo()
    dropDead()
  }

  /// Takes the order of members from the context: where both have changed them, it is not ours to
  /// say.
  private func adoptOrders(_ lists: [GraphMerge.List]) throws {
    for list in lists {
      let members = oracle.objects[list.owner]?.toManys[list.relationship.name] ?? []
      let found = try self.members(of: list.owner, list.relationship)
      var numbers: [ObjectIdentifier: Int] = [:]
      for member in members { numbers[ObjectIdentifier(try object(member))] = member }
      let order = found.compactMap { numbers[ObjectIdentifier($0)] }
      guard order.count == found.count, Set(order) == Set(members) else {
        throw GraphMismatch("\(list.owner).\(list.relationship.name) has other members")
      }
      oracle.objects[list.owner]?.toManys[list.relationship.name] = order
    }
  }

  private func forgetUndo() {
    manager.removeAllActions()
    (undoStates, redoStates) = ([], [])
  }

  /// Refreshes an object; without merging, only one whose relationships are as they were saved.
  func refresh(_ number: Int, _ merges: Bool) throws {
    guard let id = pick(number) else { return }
    if !merges, !oracle.inserted.contains(id) {
      guard let known = oracle.objects[id], let saved = committed.objects[id],
        known.toOnes == saved.toOnes, known.toManys == saved.toManys
      else { return }
      oracle.objects[id]?.name = committed.objects[id]?.name ?? ""
      oracle.objects[id]?.number = committed.objects[id]?.number
      oracle.updated.remove(id)
      uncertain.insert(id)
      // What is dropped so is not noted: an undo would not lead back to what was before it.
      forgetUndo()
    }
    context.refresh(try object(id), mergeChanges: merges)
    if let error = context.lastFaultError { throw GraphMismatch("refresh: \(error)") }
  }

  func reset() {
    objects = [:]
    context.reset()
    takeCommitted()
  }

  /// Lets two other contexts change one object and save, the second under a merge policy.
  func conflict(_ number: Int, _ choice: Int) throws {
    let ids = committed.objects.keys.sorted()
    guard !ids.isEmpty, ancestors.isEmpty else { return }
    let id = ids[number % ids.count]
    guard isEditable(id), oracle.objects[id] != nil, var saved = committed.objects[id],
      let known = world.ids[id]
    else { return }
    let stamp = world.saveCount * 2 + 1_000
    let original = saved
    let policies: [MergePolicy] = [
      .error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
    ]
    let policy = policies[choice / 16 % policies.count]
    var objects: [ManagedObject] = []
    var contexts: [ManagedObjectContext] = []
    for turn in 0..<2 {
      let context = ManagedObjectContext(coordinator: world.coordinator)
      contexts.append(context)
      objects.append(try context.existingObject(with: known))
      if choice >> (2 * turn) & 1 == 1 {
        try objects[turn].setValue("\(stamp + turn)", forKey: "name")
      }
      if choice >> (2 * turn) & 2 == 2, saved.entity == "PNode" {
        try objects[turn].setValue(stamp + turn, forKey: "number")
      }
    }
    let (first, second) = (objects[0].changedValues().keys, objects[1].changedValues().keys)
    try contexts[0].save()
    contexts[1].mergePolicy = policy
    let isConflict = !first.isEmpty && !second.isEmpty
    var isRefused = false
    do throws(PerennialError) {
      try contexts[1].save()
    } catch {
      guard error.code == .managedObjectMerge else { throw error }
      isRefused = true
    }
    guard isRefused == (isConflict && policy == .error) else {
      throw GraphMismatch("the save under \(policy) was refused: \(isRefused)")
    }
    let changes = GraphConflict(
      original: original,
      stored: Set(first),
      edited: Set(second),
      stamp: stamp
    )
    saved = changes.outcome(under: policy)
    var oracle = committed
    oracle.objects[id] = saved
    try world.commit(oracle, of: nil)
  }
}
