// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What a context notes while it runs the hooks of its objects: `willSave` and the checks.
///
/// Invariants:
/// 1. Objects are noted only while `isWatching`.
/// 2. `marks` names the objects of `touched` that wait for another `willSave`.
struct Lifecycle {
  /// How often hooks may change objects again before a save gives up.
  static let roundLimit = 1_000

  /// Whether a hook of a save is running, which must not save.
  var isRunningHooks = false
  /// Whether the owners of changed members are being checked: their own values are those that were saved.
  var isCheckingOwners = false
  /// Whether derived values are being written, which derives nothing again.
  var isDeriving = false
  /// The root entities of rows to which hooks have given values that the store does not have.
  var unsavedRoots: Set<Int> = []
  /// The objects that have got newer rows from the store, to be told when it has done its part.
  var refetched: Set<ObjectReference> = []
  /// The owners without changes of their own that the save has called; they hear of its end.
  var savedOwners: [ManagedObject] = []
  /// Those of the changes as they were when the last of them was called.
  var latestOwners = MembershipOwners()
  /// Whether written and deleted objects are noted.
  var isWatching = false
  private var touched: [ManagedObject] = []
  private var marks: Set<ObjectIdentifier> = []

  /// Whether objects have been written or deleted since their last call.
  var hasTouched: Bool { !marks.isEmpty }

  /// Notes that an object was written or deleted.
  mutating func touch(_ object: ManagedObject) {
    guard isWatching, marks.insert(ObjectIdentifier(object)).inserted else { return }
    touched.append(object)
  }

  /// Notes that an object is being called now.
  mutating func forget(_ object: ManagedObject) {
    if !marks.isEmpty { marks.remove(ObjectIdentifier(object)) }
  }

  /// The touched objects, which then are none any more until they are touched again.
  mutating func takeTouched() -> [ManagedObject] {
    var taken: [ManagedObject] = []
    for object in touched where marks.remove(ObjectIdentifier(object)) != nil {
      taken.append(object)
    }
    touched = []
    return taken
  }

  /// Ends the watch.
  mutating func stopWatching() {
    isWatching = false
    touched = []
    marks = []
  }
}

extension PerennialError {
  /// Hooks that never come to an end.
  static func endlessHooks(_ entity: String?) -> PerennialError {
    let whose = entity.map { " of '\($0)'" } ?? ""
    return PerennialError(
      .validation,
      "willSave() or a validation method\(whose) keeps changing objects: after \(Lifecycle.roundLimit) rounds there are still new changes.",
      recovery: "change a property there only when its value differs",
      entity: entity
    )
  }

  /// A save inside a hook of a save.
  static func nestedSave() -> PerennialError {
    PerennialError(
      .validation,
      "save() was called while willSave() or a validation method is running.",
      recovery: "leave it to the save that runs; it saves what a hook changes"
    )
  }
}
