// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel

// Several contexts on one store.
//
// Any of them may rename, count and insert at any time. What changes relationships is for one at a
// time, until it saves: what two such changes of the same objects come to is for other tests to say.

extension GraphDriver {
  private var peers: [GraphDriver] { world.drivers.filter { $0 !== self } }

  func isAllowed(_ step: GraphStep) -> Bool {
    switch step {
    case .undo, .redo, .undoAll, .redoAll:
      return !peers.contains { $0.hasStructure || $0.oracle.hasObjectChanges }
    case _ where step.isStructural: return !peers.contains(where: \.hasStructure)
    default: return true
    }
  }

  /// Whether nobody else is about to delete an object.
  func isEditable(_ id: Int) -> Bool {
    committed.objects[id] == nil || peers.allSatisfy { $0.oracle.objects[id] != nil }
  }

  /// Whether nobody else has edited what would go with an object.
  func isDeletable(_ id: Int) -> Bool {
    var rest = oracle
    rest.delete(id)
    let doomed = Set(oracle.objects.keys).subtracting(rest.objects.keys)
    return peers.allSatisfy { $0.oracle.updated.isDisjoint(with: doomed) }
  }

  /// The names and numbers that were set here and not saved: they stay when others save.
  func pendingEdits() throws -> [Int: Set<String>] {
    var edits: [Int: Set<String>] = [:]
    for id in oracle.updated {
      edits[id] = Set(try object(id).changedValues().keys).intersection(["name", "number"])
    }
    return edits
  }

  /// Takes over what another context has saved, in one of the ways in which a context can.
  func catchUp(_ edits: [Int: Set<String>], way: Int) throws {
    switch way % 3 {
    case 0: try context.processPendingChanges()
    case 1: context.refreshAllObjects()
    default:
      // A fetch merges what is no conflict, and leaves the rest to be asked for.
      _ = try context.count(for: FetchRequest<PBox>())
      try context.processPendingChanges()
    }
    var objects = committed.objects
    for (id, saved) in committed.objects {
      guard let known = oracle.objects[id] else {
        if oracle.deleted.contains(id) { objects[id] = nil }
        continue
      }
      var merged = hasStructure ? known : saved
      merged.name = edits[id]?.contains("name") == true ? known.name : saved.name
      merged.number = edits[id]?.contains("number") == true ? known.number : saved.number
      objects[id] = merged
    }
    for id in oracle.inserted { objects[id] = oracle.objects[id] }
    oracle.objects = objects
    forgetUndo()
    dropDead()
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

/// Two contexts change the name or the number of one object: the table of SEMANTICS 1M.
private struct GraphConflict {
  let original: GraphOracle.Object
  /// What the first context changed, which has saved, and what the second one did.
  let stored: Set<String>
  let edited: Set<String>
  let stamp: Int

  func outcome(under policy: MergePolicy) -> GraphOracle.Object {
    var object = original
    let isConflict = !stored.isEmpty && !edited.isEmpty
    guard isConflict else {
      apply(stored, stamp, to: &object)
      apply(edited, stamp + 1, to: &object)
      return object
    }
    if policy != .overwrite { apply(stored, stamp, to: &object) }
    switch policy {
    case .mergeByPropertyObjectTrump, .overwrite: apply(edited, stamp + 1, to: &object)
    case .mergeByPropertyStoreTrump:
      apply(edited.subtracting(stored), stamp + 1, to: &object)
    default: break
    }
    return object
  }

  private func apply(_ keys: Set<String>, _ value: Int, to object: inout GraphOracle.Object) {
    if keys.contains("name") { object.name = "\(value)" }
    if keys.contains("number") { object.number = value }
  }
}
