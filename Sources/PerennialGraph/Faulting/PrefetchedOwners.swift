// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The owners whose to-many relationships were prefetched in a context that refuses to load lazily.
///
/// What was read for them is forgotten when somebody saves, and may then be read again.
struct PrefetchedOwners {
  typealias OwnerKey = RelationshipChanges.OwnerKey

  private var stored: Set<OwnerKey> = []
  /// Those with temporary keys.
  private var new: Set<OwnerKey> = []
  /// How many there may be before those are looked for that have gone.
  private var limit = 1_024

  /// How many there are.
  var count: Int { stored.count + new.count }

  var isEmpty: Bool { stored.isEmpty && new.isEmpty }

  mutating func insert(_ key: OwnerKey) {
    if key.owner < 0 { new.insert(key) } else { stored.insert(key) }
  }

  mutating func remove(_ key: OwnerKey) {
    if key.owner < 0 { new.remove(key) } else { stored.remove(key) }
  }

  /// Forgets owners that have gone, once there are twice as many as there were after the last time.
  mutating func trim(_ isHere: (OwnerKey) -> Bool) {
    guard count > limit else { return }
    stored = stored.filter(isHere)
    new = new.filter(isHere)
    limit = max(1_024, count * 2)
  }

  func contains(_ key: OwnerKey) -> Bool {
    key.owner < 0 ? new.contains(key) : stored.contains(key)
  }

  /// Replaces temporary keys.
  mutating func translateKeys(_ translation: KeyTranslation) {
    guard !new.isEmpty else { return }
    let old = new
    new = []
    for key in old {
      let owner = translation.key(key.owner, key.entity)
      insert(OwnerKey(entity: key.entity, toMany: key.toMany, owner: owner))
    }
  }
}
