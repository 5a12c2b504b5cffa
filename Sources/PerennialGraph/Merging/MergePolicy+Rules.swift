// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

// The rules of the policies, property by property, as SEMANTICS 1M has them. Nothing here knows an
// object or a store.

/// What has become of one property on both sides of a version conflict.
struct PropertyHistory {
  /// Whether this context has changed it.
  let isChangedHere: Bool
  /// Whether what is stored differs from what this context read.
  let isChangedElsewhere: Bool
  /// Whether this context's value is the stored one.
  let isEqual: Bool
}

/// What two objects with the same unique values have under one property.
struct PropertyPair {
  let isRelationship: Bool
  /// Whether it was assigned to the newcomer.
  let isAssigned: Bool
  /// Whether it was assigned to the survivor after it was to the newcomer; or, when it never was, after
  /// the newcomer was given its unique values.
  let isAssignedLater: Bool
  /// Whether the survivor has no value.
  let isSurvivorEmpty: Bool
}

extension MergePolicy.Kind {
  typealias Decision = (source: MergeReport.Source, reason: MergeReport.Reason)

  /// Whose value a property of a version conflict gets; `nil` when nobody has changed it.
  func decide(_ history: PropertyHistory) -> Decision? {
    switch (history.isChangedHere, history.isChangedElsewhere) {
    case (false, false): return nil
    case (true, true) where history.isEqual: return (.both, .equalValues)
    case (true, true):
      let isOurs = self != .storeTrump && self != .rollback
      return (isOurs ? .ours : .stored, .policy)
    case (true, false): return self == .rollback ? (.stored, .policy) : (.ours, .changedHereOnly)
    case (false, true):
      return self == .overwrite ? (.ours, .policy) : (.stored, .changedElsewhereOnly)
    }
  }

  /// Whether an object whose row was deleted elsewhere is stored again.
  var storesAgain: Bool { keepsDeletion }

  /// Whether an object that was deleted here and changed elsewhere stays deleted.
  var keepsDeletion: Bool { self != .storeTrump && self != .rollback }

  /// Whether a stored object with another stored one's unique values is absorbed by it.
  var absorbsStored: Bool { keepsDeletion }

  /// Whose value a property of the survivor of a constraint conflict gets.
  func decide(_ pair: PropertyPair) -> Decision {
    switch self {
    case .rollback, .error, .custom: return (.stored, .policy)
    case .overwrite: return (.ours, .policy)
    case .storeTrump:
      if !pair.isAssigned { return (.stored, .neverAssigned) }
      return pair.isSurvivorEmpty ? (.ours, .survivorIsEmpty) : (.stored, .policy)
    case .objectTrump, .objectTrumpOverwritingUnset:
      if pair.isAssigned {
        return pair.isAssignedLater ? (.stored, .assignedLater) : (.ours, .assigned)
      }
      guard self == .objectTrumpOverwritingUnset, !pair.isRelationship else {
        return (.stored, .neverAssigned)
      }
      return pair.isAssignedLater ? (.stored, .assignedLater) : (.ours, .policy)
    }
  }
}
