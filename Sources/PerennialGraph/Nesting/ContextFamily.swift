// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// What ties a context to its parent and its children.
///
/// Invariants:
/// 1. A child holds its parent, which knows its children as long as they live.
/// 2. A family, that is a context without a parent and all below it, has one identifier, and its
///    top gives out the temporary keys: a key names the same object in all of them.
struct ContextFamily {
  /// The context that is read from and saved to instead of the store.
  let parent: ManagedObjectContext?
  /// The owner of temporary IDs: the identifier of the top.
  let identifier: UUID
  /// Whether a child merges by itself what its parent saves, and what is saved into its parent.
  var mergesFromParent = false
  /// Whether it is doing so now.
  var isMerging = false
  /// Whether what the contexts above merge now must hide no conflict here.
  var hidesNoConflict = false
  private var members: [Member] = []
  /// The last version given to a row that no store has written; counted in the top only.
  private var lastVersion: UInt32 = 1 << 31

  private struct Member {
    weak var context: ManagedObjectContext?
  }

  /// The family of a context of an identifier.
  init(parent: ManagedObjectContext?, context: UUID) {
    self.parent = parent
    identifier = parent?.family.identifier ?? context
  }

  /// The contexts directly below.
  var children: [ManagedObjectContext] {
    members.isEmpty ? [] : members.compactMap(\.context)
  }

  mutating func add(_ child: ManagedObjectContext) {
    members.removeAll { $0.context == nil }
    members.append(Member(context: child))
  }

  /// A version that no other row has, so that whoever has the row before takes the one after.
  mutating func nextVersion() -> UInt32 {
    lastVersion = (lastVersion &+ 1) | 1 << 31
    return lastVersion
  }
}

extension ManagedObjectContext {
  /// Makes a context whose saves go to another context instead of the store.
  ///
  /// A child sees its parent's objects with their unsaved changes, and changes copies of them. An editing sheet, for
  /// instance, is a child that is saved or thrown away. The child's save checks everything that a save checks,
  /// including uniqueness, and hands the changes to the parent, all or nothing; nothing is written until the parent
  /// saves. The child's ``mergePolicy`` decides about what has changed in both.
  ///
  /// ```swift
  /// let sheet = ManagedObjectContext(parent: container.viewContext)
  /// let draft = try sheet.object(Commit.self, with: commit.objectID)
  /// draft.message = text
  /// try sheet.save()          // the view context has the message, and has something to save
  /// ```
  ///
  /// An object has one ID in a context and its children, even while that ID is temporary. A parent may have many
  /// children, and they may have children in turn. A child lives in its parent's isolation: with a parent of another
  /// isolation the call does not compile.
  ///
  /// Core Data: `NSManagedObjectContext.parent`.
  ///
  /// - Parameter parent: The context to read from and to save to; the child holds it.
  public convenience init(parent: ManagedObjectContext) {
    self.init(coordinator: parent.coordinator, parent: parent)
  }

  /// The context that this one reads from and saves to; `nil` when that is the store.
  ///
  /// Core Data: `NSManagedObjectContext.parent`.
  public var parent: ManagedObjectContext? { family.parent }

  /// The context of the family that has no parent.
  var top: ManagedObjectContext {
    var context = self
    while let parent = context.parent { context = parent }
    return context
  }

  /// Whether what this context reads from, the store or the parent, may have an object.
  func isKnownAbove(_ object: ManagedObject) -> Bool {
    if object._key > 0 { return true }
    return parent != nil && object._state != .inserted && object._state != .deletedInsertion
  }

  /// Whether a row of a version is to replace one of another.
  func isNews(_ version: UInt32, to current: UInt32) -> Bool {
    parent == nil ? current < version : current != version
  }

  /// The version of a changed row.
  ///
  /// A store counts; a child cannot, since its parent changes rows without counting.
  func version(after version: UInt32, raisedBy raise: UInt32) -> UInt32 {
    guard parent == nil else { return top.family.nextVersion() }
    // Only a damaged row has come so far.
    let (next, isOver) = version.addingReportingOverflow(raise)
    return isOver ? raise : next
  }
}
