// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The deleted objects whose delete rules are still to be applied, in the order of their deletion.
///
/// They are taken one by one: a hook that runs meanwhile may fetch or save, and so go on with the rest.
/// What has been taken is not held any more.
struct PendingDeletions {
  private var objects: [ManagedObject?] = []
  /// The place of the next one.
  private var next = 0

  /// Whether there are none; what has been removed counts until somebody looks for it.
  var isEmpty: Bool { objects.isEmpty }

  mutating func append(_ object: ManagedObject) { objects.append(object) }

  /// Takes the next one out, which the caller holds from now on.
  mutating func takeFirst() -> ManagedObject? {
    while next < objects.count {
      let object = objects[next]
      objects[next] = nil
      next += 1
      if let object { return object }
    }
    objects = []
    next = 0
    return nil
  }

  /// Makes an object that was taken out the next one again.
  mutating func putBack(_ object: ManagedObject) {
    if next == 0 {
      objects.insert(object, at: 0)
    } else {
      next -= 1
      objects[next] = object
    }
  }

  /// Takes an object out that the caller holds.
  mutating func remove(_ object: ManagedObject) {
    for place in objects.indices where objects[place] === object { objects[place] = nil }
  }
}
