// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The permanent keys that were set aside for new objects and have been shown to somebody.
///
/// An entry goes when its permanent key has become the object's, or when the object can be saved no more.
struct PublishedKeys {
  private struct Keys {
    var permanent: [Int64: Int64] = [:]
    var temporary: [Int64: Int64] = [:]

    mutating func add(_ temporary: Int64, _ permanent: Int64) {
      self.permanent[temporary] = permanent
      self.temporary[permanent] = temporary
    }
  }

  private var roots: [Int: Keys] = [:]

  var isEmpty: Bool { roots.isEmpty }

  mutating func add(_ temporary: Int64, _ permanent: Int64, root: Int) {
    roots[root, default: Keys()].add(temporary, permanent)
  }

  mutating func remove(_ temporary: Int64, root: Int) {
    if let permanent = roots[root]?.permanent.removeValue(forKey: temporary) {
      roots[root]?.temporary[permanent] = nil
      if roots[root]?.permanent.isEmpty == true { roots[root] = nil }
    }
  }

  /// Forgets the entries of temporary keys that have become permanent ones.
  mutating func remove(saved keys: TemporaryKeys) {
    for (root, entries) in roots {
      for temporary in entries.permanent.keys
      where keys.key(root: root, temporary: temporary) != nil {
        remove(temporary, root: root)
      }
    }
  }

  /// The permanent key of a temporary one.
  func permanent(_ temporary: Int64, root: Int) -> Int64? { roots[root]?.permanent[temporary] }

  /// The temporary key of a permanent one.
  func temporary(_ permanent: Int64, root: Int) -> Int64? { roots[root]?.temporary[permanent] }
}
