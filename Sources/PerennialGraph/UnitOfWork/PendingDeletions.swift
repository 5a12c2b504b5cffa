// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The deleted objects whose delete rules are still to be applied, in the order of their deletion.
///
/// They are taken one by one: a hook that runs meanwhile may fetch or save, and so go on with the rest.
/// What has been taken is in progress until its rules have been applied to the end, by whom it may be.
struct PendingDeletions {
  private var objects: [ManagedObject?] = []
  /// The place of the next one.
  private var next = 0
  /// Those whose rules are being applied, the innermost last: a hook has interrupted all but that.
  private(set) var inProgress: [ManagedObject] = []
  /// Whether the rest of the interrupted rules is being applied now.
  var isFinishing = false

  /// Whether there are none; what has been removed counts until somebody looks for it.
  var isEmpty: Bool { objects.isEmpty && inProgress.isEmpty }

  mutating func append(_ object: ManagedObject) { objects.append(object) }

  /// Takes the next one out, which is in progress from now on.
  mutating func takeFirst() -> ManagedObject? {
    while next < objects.count {
      let object = objects[next]
      objects[next] = nil
      next += 1
      if let object {
        inProgress.append(object)
        return object
      }
    }
    objects = []
    next = 0
    return nil
  }

  /// Whether rules of an object are still to be applied by whoever has taken it out.
  func isInProgress(_ object: ManagedObject) -> Bool { inProgress.contains { $0 === object } }

  /// Ends what is in progress for an object that the caller holds.
  ///
  /// - Returns: Whether anything was.
  @discardableResult
  mutating func finish(_ object: ManagedObject) -> Bool {
    let count = inProgress.count
    inProgress.removeAll { $0 === object }
    return inProgress.count < count
  }

  /// Makes an object that is in progress the next one again.
  mutating func putBack(_ object: ManagedObject) {
    if finish(object) { objects.insert(object, at: next) }
  }

  /// Takes an object out that the caller holds; rules that are being applied end.
  mutating func remove(_ object: ManagedObject) {
    finish(object)
    for place in objects.indices where objects[place] === object { objects[place] = nil }
  }
}
