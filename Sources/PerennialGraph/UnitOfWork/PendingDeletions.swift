// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The deleted objects whose delete rules are still to be applied, in the order of their deletion.
///
/// They are taken one by one: a hook that runs meanwhile may fetch or save, and so go on with the rest.
/// What has been taken is in progress until its rules have been applied to the end, by whom it may be;
/// its edit record says so (`isPropagating`).
struct PendingDeletions {
  /// Who applies delete rules.
  ///
  /// In a hook that one calls, only one that comes after it here begins, so
  /// that they are three deep at most, whatever hooks do.
  enum Pass: Comparable {
    case none, first, inHook, inSaveOfHook
  }

  /// Those that have been taken, and then those that have not; what has been removed leaves a gap.
  private var objects: [ManagedObject?] = []
  /// The place of the next one.
  private var next = 0
  /// The innermost that is running.
  var pass = Pass.none

  /// Whether there are none; what has been taken or removed counts until all have been.
  var isEmpty: Bool { objects.isEmpty }

  /// Those whose rules are being applied: hooks have interrupted that.
  var inProgress: [ManagedObject] {
    objects[..<next].compactMap { $0 }.filter { $0._isPropagating }
  }

  /// Forgets all; who is applying rules finds nothing more to do.
  ///
  /// - Returns: What was held; to be released when the context can be used again.
  @discardableResult
  mutating func removeAll() -> [ManagedObject?] {
    let held = objects
    for object in held[..<next] { object?._isPropagating = false }
    objects = []
    next = 0
    return held
  }

  mutating func append(_ object: ManagedObject) { objects.append(object) }

  /// Takes the next one, which is in progress from now on.
  mutating func takeFirst() -> ManagedObject? {
    while next < objects.count {
      let object = objects[next]
      next += 1
      guard let object else { continue }
      object._isPropagating = true
      return object
    }
    return nil
  }

  /// Makes an object that was taken the next one again; one whose rules have ended meanwhile has none left.
  mutating func putBack(_ object: ManagedObject) {
    object._isPropagating = false
    objects.insert(object, at: next)
  }

  /// Takes an object out that the caller holds; rules that are being applied end.
  mutating func remove(_ object: ManagedObject) {
    object._isPropagating = false
    for place in objects.indices where objects[place] === object { objects[place] = nil }
  }
}

extension ManagedObject {
  /// Whether the object's delete rules are being applied.
  final var _isPropagating: Bool {
    get { _edit?.pointee.isPropagating ?? false }
    set { _edit?.pointee.isPropagating = newValue }
  }
}
