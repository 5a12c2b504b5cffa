// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Who listens to a context, in the order in which they came.
struct Listeners {
  /// What a listener wants to hear of.
  struct Interests: OptionSet {
    let rawValue: UInt8
    static let objectsDidChange = Interests(rawValue: 1)
    static let willSave = Interests(rawValue: 2)
    static let didSave = Interests(rawValue: 4)
    static let didSaveObjectIDs = Interests(rawValue: 8)
    static let didMerge = Interests(rawValue: 16)
    static let all = Interests(rawValue: 31)
  }

  /// What is told.
  enum Notice {
    case objectsDidChange(ChangedObjects)
    case willSave
    case didSave(ChangedObjects)
    case didSaveObjectIDs(ObjectChanges)
    case didMerge(ObjectChanges)

    var interest: Interests {
      switch self {
      case .objectsDidChange: .objectsDidChange
      case .willSave: .willSave
      case .didSave: .didSave
      case .didSaveObjectIDs: .didSaveObjectIDs
      case .didMerge: .didMerge
      }
    }
  }

  private struct Listener {
    let number: Int
    let interests: Interests
    /// Returns whether the listener goes on listening.
    let hear: (Notice) -> Bool
  }

  private var listeners: [Listener] = []
  private var interests: Interests = []
  private var lastNumber = 0

  func wants(_ interest: Interests) -> Bool { !interests.isDisjoint(with: interest) }

  /// Adds a listener.
  ///
  /// - Returns: Its number.
  mutating func add(_ interests: Interests, _ hear: @escaping (Notice) -> Bool) -> Int {
    lastNumber += 1
    listeners.append(Listener(number: lastNumber, interests: interests, hear: hear))
    self.interests.formUnion(interests)
    return lastNumber
  }

  /// Removes a listener.
  ///
  /// - Returns: The listener; to be released when nothing here is in use, as what it has captured
  ///   may be another listener's token.
  mutating func remove(_ number: Int) -> ((Notice) -> Bool)? {
    let place = listeners.firstIndex { $0.number == number }
    let removed = place.map { listeners.remove(at: $0).hear }
    interests = listeners.reduce(into: []) { $0.formUnion($1.interests) }
    return removed
  }

  func contains(_ number: Int) -> Bool { listeners.contains { $0.number == number } }

  /// The listeners to a notice, to be called one after the other.
  func listeners(to notice: Notice) -> [(number: Int, hear: (Notice) -> Bool)] {
    guard wants(notice.interest) else { return [] }
    return listeners.filter { $0.interests.contains(notice.interest) }
      .map { ($0.number, $0.hear) }
  }
}
