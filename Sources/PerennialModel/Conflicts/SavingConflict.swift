// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A reason why changes cannot be saved as they are: somebody else's change of a row, or values that must be
/// unique.
///
/// The error of a save lists its conflicts in ``PerennialError/conflicts``. Conflicts are values: you may keep
/// them, compare them and send them to another isolation. The context that reported them can resolve or discard
/// them.
public enum SavingConflict: Sendable, Hashable {
  /// An object was changed here and elsewhere (133020).
  case version(MergeConflict)
  /// Two objects have the same unique values (133021).
  case constraint(ConstraintConflict)

  /// The object whose changes are in the way.
  public var objectID: ManagedObjectID? {
    switch self {
    case .version(let conflict): conflict.objectID
    case .constraint(let conflict): conflict.conflictingObjectIDs.first
    }
  }
}
