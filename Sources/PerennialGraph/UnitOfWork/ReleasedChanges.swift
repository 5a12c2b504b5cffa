// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What a context held for the changes that it has just forgotten.
///
/// Whoever forgets changes releases this last: objects may die then, and a `deinit` of the program
/// may use the context, change other objects, fetch and save. It must find the context in order, and
/// nothing of it in the middle of an access.
struct ReleasedChanges {
  private let lists: [ContiguousArray<ManagedObject?>]
  private let keyChanges: [ContiguousArray<ManagedObject>]
  private let newcomers: [Newcomers]
  private let relationships: RelationshipChanges
  private let constraintIndex: ConstraintIndex
  private let absorbed: [(loser: ManagedObject, tombstone: ManagedObject)]
  private let pendingDeletions: PendingDeletions
  private let aliases: [ManagedObjectID: ManagedObject]
  private let merging: MergeState
  var undoGroups: [UndoGroup] = []
  private let heldLists: HeldLists

  /// What a context holds now.
  init(_ context: ManagedObjectContext) {
    let homes = context.homes
    let indexes = context.homeIndexes.filter { !homes[$0].changed.isEmpty }
    lists = indexes.map { homes[$0].changed }
    keyChanges = indexes.map { homes[$0].keyChanges }
    newcomers = indexes.map { homes[$0].newcomers }
    relationships = context.relationships
    constraintIndex = context.constraintIndex
    absorbed = context.absorbed
    pendingDeletions = context.pendingDeletions
    aliases = context.aliases
    merging = context.merging
    heldLists = context.faulting.lists
  }
}
