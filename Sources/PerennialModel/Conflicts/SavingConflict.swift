// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Why changes cannot be saved as they are: somebody else's row, or a value that must be unique.
///
/// The error of a save lists them in ``PerennialError/conflicts``. They are values: they may be kept,
/// compared and sent to another isolation. The context that made them can discard or resolve them.
public enum SavingConflict: Sendable, Hashable {
  /// An object was changed here and elsewhere (133,020).
  case version(MergeConflict)
  /// Two objects have the same unique values (133,021).
  case constraint(ConstraintConflict)

  /// The object whose changes are in the way.
  public var objectID: ManagedObjectID? {
    switch self {
    case .version(let conflict): conflict.objectID
    case .constraint(let conflict): conflict.conflictingObjectIDs.first
    }
  }
}
