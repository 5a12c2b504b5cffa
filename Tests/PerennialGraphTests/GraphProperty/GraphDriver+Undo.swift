// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph

/// What an undo or a redo leads to.
struct GraphUndoState {
  let oracle: GraphOracle
  let hasChanges: Bool
  /// The number of saves before it.
  let saveCount: Int
}

extension GraphDriver {
  /// The state now, as an undo of what follows should restore it.
  var undoState: GraphUndoState {
    GraphUndoState(oracle: oracle, hasChanges: context.hasChanges, saveCount: world.saveCount)
  }

  /// Keeps the state before a step if the step began a group.
  func noteGroup(_ before: GraphUndoState) throws {
    if manager.undoCount > undoStates.count { undoStates.append(before) }
    if manager.undoCount == 0 { undoStates = [] }
    if manager.redoCount == 0 { redoStates = [] }
    guard manager.undoCount == undoStates.count, manager.redoCount == redoStates.count else {
      throw GraphMismatch("\(manager.undoCount) groups, not \(undoStates.count)")
    }
  }

  /// Whether the next undo leads to what goes together with the changes of the other contexts.
  var mayUndo: Bool { undoStates.last.map { isAllowed($0.oracle) } ?? true }
  var mayRedo: Bool { redoStates.last.map { isAllowed($0.oracle) } ?? true }

  func undo() throws {
    let before = undoState
    let count = manager.undoCount
    context.undo()
    guard count > 0 else { return }
    guard let state = undoStates.popLast() else { throw GraphMismatch("nothing to undo") }
    try take(state)
    if manager.redoCount > redoStates.count { redoStates.append(before) }
  }

  func redo() throws {
    let before = undoState
    let count = manager.redoCount
    context.redo()
    guard count > 0 else { return }
    guard let state = redoStates.popLast() else { throw GraphMismatch("nothing to redo") }
    try take(state)
    if manager.undoCount > undoStates.count { undoStates.append(before) }
  }

  /// Makes the oracle what it was; what counts as changed follows from the last save.
  private func take(_ state: GraphUndoState) throws {
    oracle = state.oracle
    dropDead()
    if state.saveCount == world.saveCount, context.hasChanges, !state.hasChanges {
      throw GraphMismatch("has changes")
    }
    let (live, stored) = (Set(oracle.objects.keys), Set(committed.objects.keys))
    if state.saveCount != world.saveCount {
      oracle.inserted = live.subtracting(stored)
      oracle.deleted = stored.subtracting(live)
      oracle.updated = []
    }
    for id in live.intersection(stored) {
      if oracle.objects[id]?.slots != committed.objects[id]?.slots {
        oracle.updated.insert(id)
      } else if state.saveCount != world.saveCount || oracle.updated.remove(id) != nil {
        uncertain.insert(id)
      }
    }
  }
}
