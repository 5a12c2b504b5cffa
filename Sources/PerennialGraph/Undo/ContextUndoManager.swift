// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Undoes and redoes the changes of a context.
///
/// ```swift
/// context.undoManager = ContextUndoManager()
/// commit.message = "Second thoughts"
/// context.undo()                        // the old message is back
/// context.redo()                        // and gone again
/// ```
///
/// Everything that is done to the objects of the context counts: properties, both sides of relationships, orders,
/// insertions, deletions, and what these delete in turn, whenever that happens. A group is undone at once: all
/// changes up to ``ManagedObjectContext/processPendingChanges()`` or ``ManagedObjectContext/save()``, successful or
/// not, or, in a group of your own, everything between ``beginUndoGrouping()`` and ``endUndoGrouping()``. A fetch
/// does not end a group.
///
/// A save does not empty the log. Undoing what has been saved makes new pending changes; an object whose deletion was
/// saved is inserted again, as the same instance with the same ID.
///
/// What a merge policy, a refresh or another context brings is not undone, and neither is what `willSave()`,
/// `awakeFromFetch()` and `awake(fromSnapshotEvents:)` after a refresh change, or a primitive value.
/// A rollback, a reset, and a merge of two objects under a uniqueness constraint empty the log.
///
/// Memory: the log holds the objects that it names and a copy of every old value; ``levelsOfUndo`` bounds it.
///
/// Isolation: the manager belongs to its context and stays with it; it is not Sendable.
///
/// Invariants:
/// 1. `open` is a group in the making; while `activity` is set, it is the opposite of the group that
///    is being played.
/// 2. A new change in `open` leaves nothing to redo.
///
/// Core Data: the `UndoManager` of `NSManagedObjectContext.undoManager`, which Linux lacks.
public final class ContextUndoManager {
  private enum Activity { case undoing, redoing }

  /// The context whose changes are undone; it holds this object.
  private(set) weak var context: ManagedObjectContext?
  private var undoGroups: [UndoGroup] = []
  private var redoGroups: [UndoGroup] = []
  private var open: UndoGroup?
  /// What follows from a deletion, until it is added to the group of that; what runs in between may begin another.
  private var consequences: [UndoGroup] = []
  /// What cannot be made again any more, to be released at the end of the event: not amid a change.
  private var dropped: [UndoGroup] = []
  private var activity: Activity?
  private var disabledCount = 0

  /// A manager without a context; assign it to ``ManagedObjectContext/undoManager``.
  public init() {}

  // MARK: Undo and redo

  /// How many groups can be undone; 0, the default, sets no limit.
  ///
  /// Beyond the limit, the oldest groups are forgotten.
  public var levelsOfUndo = 0 {
    didSet { trim() }
  }

  /// Whether there is something to undo.
  public var canUndo: Bool { undoCount > 0 }

  /// Whether there is something to redo: the last changes were undone.
  public var canRedo: Bool { redoCount > 0 }

  /// Whether a group is being undone.
  public var isUndoing: Bool { activity == .undoing }

  /// Whether a group is being redone.
  public var isRedoing: Bool { activity == .redoing }

  package var undoCount: Int { undoGroups.count + (hasOpenChanges ? 1 : 0) }
  package var redoCount: Int { hasOpenChanges ? 0 : redoGroups.count }

  private var hasOpenChanges: Bool { activity == nil && open?.isEmpty == false }

  /// Undoes the last group, after ending the open ones.
  ///
  /// Nothing happens when there is none. Objects whose rows have gone in the meantime are left out, as are deleted
  /// objects whose rows others have brought back; references to what has gone become `nil`. A row that cannot be
  /// loaded is left out too, and ``ManagedObjectContext/lastFaultError`` says why. A one-to-one relationship that
  /// comes back ends those that others have made with either side. At the end,
  /// ``ManagedObject/awake(fromSnapshotEvents:)`` is called for every object concerned.
  public func undo() {
    guard activity == nil else { return }
    groupingLevel = 0
    close()
    guard let group = undoGroups.popLast() else { return }
    if let opposite = play(group, .undoing) { redoGroups.append(opposite) }
  }

  /// Redoes the changes that were undone last; nothing happens when there are none.
  public func redo() {
    guard activity == nil else { return }
    groupingLevel = 0
    close()
    guard let group = redoGroups.popLast() else { return }
    if let opposite = play(group, .redoing) { undoGroups.append(opposite) }
  }

  /// Empties the log.
  public func removeAllActions() {
    let groups = takeAllActions()
    withExtendedLifetime(groups) {}
  }

  /// Empties the log.
  ///
  /// - Returns: What was in it; to be released when nothing is in use.
  func takeAllActions() -> [UndoGroup] {
    let groups = undoGroups + redoGroups + dropped + (open.map { [$0] } ?? []) + consequences
    undoGroups = []
    redoGroups = []
    dropped = []
    open = nil
    consequences = consequences.map { _ in UndoGroup() }
    return groups
  }

  // MARK: Groups

  /// How many groups have been begun and not ended.
  public private(set) var groupingLevel = 0

  /// Begins a group of your own; groups within it are part of it.
  ///
  /// What was changed before this call is a group by itself.
  public func beginUndoGrouping() {
    if groupingLevel == 0, activity == nil { closeWithRules() }
    groupingLevel += 1
  }

  /// Ends the group that was begun last; nothing happens when none was.
  ///
  /// First, the delete rules of what has been deleted in the group are applied; what they do is undone with it. If
  /// they cannot be applied now, the next fetch or save throws the reason.
  public func endUndoGrouping() {
    guard groupingLevel > 0 else { return }
    if groupingLevel == 1, activity == nil { closeWithRules() }
    // The hooks of a deletion may have ended it, or undone something.
    groupingLevel = max(0, groupingLevel - 1)
  }

  /// Names the open group, or else the last one, for a menu.
  ///
  /// - Parameter name: What the user did, for example "Delete Commit".
  public func setActionName(_ name: String) {
    if open?.isEmpty == false {
      open?.name = name
    } else if let last = undoGroups.indices.last {
      undoGroups[last].name = name
    }
  }

  /// The name of what would be undone; empty when there is none.
  public var undoActionName: String {
    (hasOpenChanges ? open : undoGroups.last)?.name ?? ""
  }

  /// The name of what would be redone; empty when there is none.
  public var redoActionName: String { canRedo ? redoGroups.last?.name ?? "" : "" }

  // MARK: Registration

  /// Whether changes are recorded.
  public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

  /// Stops recording changes, until ``enableUndoRegistration()`` has been called as often as this method.
  ///
  /// Changes that were not recorded stay when others are undone.
  public func disableUndoRegistration() {
    disabledCount += 1
    context?.updateUndoRegistration()
  }

  /// Takes back one call of ``disableUndoRegistration()``.
  public func enableUndoRegistration() {
    disabledCount = max(0, disabledCount - 1)
    context?.updateUndoRegistration()
  }

  // MARK: For the context

  /// Whether changes are noted now: also while the registration is disabled, if a group is played.
  var isActive: Bool { activity != nil || isUndoRegistrationEnabled }

  /// Whether there is a change that others may follow from.
  var hasOpenGroup: Bool { open != nil }

  /// Makes it a context's manager, with an empty log.
  func attach(to owner: ManagedObjectContext?) {
    if let context, context !== owner, context.undoManager === self { context.undoManager = nil }
    context = owner
    removeAllActions()
  }

  /// Notes a change.
  func note(_ entry: UndoGroup.Entry) {
    if let last = consequences.indices.last { return consequences[last].append(entry) }
    openIfNeeded()
    open?.append(entry)
  }

  func noteOrder(_ order: UndoGroup.Order, _ key: UndoGroup.OrderKey) {
    if let last = consequences.indices.last { return consequences[last].setOrder(order, key) }
    openIfNeeded()
    open?.setOrder(order, key)
  }

  func keepsOlderValue(of slot: Int, _ object: ManagedObject) -> Bool {
    (consequences.last ?? open)?.endsWithValue(of: slot, object) == true
  }

  func keepsOrder(_ key: UndoGroup.OrderKey) -> Bool {
    (consequences.last ?? open)?.hasOrder(key) == true
  }

  /// Notes the changes that a closure makes in the group that has deleted an object; in none when there is no such
  /// group.
  func noteConsequences<Failure: Error>(
    ofDeleting object: ManagedObject,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    if consequences.isEmpty, open?.hasDeleted(object) == true { return try body() }
    consequences.append(UndoGroup())
    defer {
      if let group = consequences.popLast(), !group.isEmpty {
        update(groupThatDeleted: object) { $0.append(group) }
      }
    }
    try body()
  }

  private func update(groupThatDeleted object: ManagedObject, _ body: (inout UndoGroup) -> Void) {
    if let place = consequences.lastIndex(where: { $0.hasDeleted(object) }) {
      body(&consequences[place])
    } else if var group = open, group.hasDeleted(object) {
      open = nil
      body(&group)
      open = group
    } else if let place = undoGroups.lastIndex(where: { $0.hasDeleted(object) }) {
      body(&undoGroups[place])
    } else if let place = redoGroups.lastIndex(where: { $0.hasDeleted(object) }) {
      body(&redoGroups[place])
    }
  }

  /// Ends the group of an event, unless it is within one that was begun explicitly.
  func endEvent() {
    if groupingLevel == 0, activity == nil { close() }
    let released = dropped
    dropped = []
    withExtendedLifetime(released) {}
  }

  private func openIfNeeded() {
    guard open == nil else { return }
    open = UndoGroup()
    if !redoGroups.isEmpty { dropped += redoGroups }
    redoGroups = []
  }

  /// Ends the open group with what follows from its deletions, before others change the same objects.
  private func closeWithRules() {
    context?.applyDeleteRules()
    close()
  }

  private func close() {
    let group = open
    open = nil
    if let group, !group.isEmpty { undoGroups.append(group) }
    trim()
  }

  private func trim() {
    guard levelsOfUndo > 0, undoGroups.count > levelsOfUndo else { return }
    let old = undoGroups
    undoGroups = Array(old.suffix(levelsOfUndo))
    withExtendedLifetime(old) {}
  }

  /// Plays a group backwards, and gives what takes that back; `nil` when nothing could be done.
  private func play(_ group: UndoGroup, _ activity: Activity) -> UndoGroup? {
    guard let context else { return nil }
    context.beginExplicitLoads()
    defer { context.endExplicitLoads() }
    let outer = consequences
    consequences = []
    defer { consequences = outer }
    self.activity = activity
    open = UndoGroup()
    context.updateUndoRegistration()
    var player = UndoPlayer(context)
    player.play(group)
    var opposite = open
    open = nil
    self.activity = nil
    context.updateUndoRegistration()
    opposite?.name = group.name
    return opposite?.isEmpty == false ? opposite : nil
  }
}

@available(*, unavailable, message: "an undo manager stays with its context")
extension ContextUndoManager: Sendable {}
