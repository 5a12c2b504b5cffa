// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// What `localizedDescription` and `NSError` say of an error.
extension PerennialError: LocalizedError, CustomNSError {
  /// ``message``, which `localizedDescription` gives.
  public var errorDescription: String? { message }

  /// ``recovery``; `nil` when there is nothing to do.
  public var recoverySuggestion: String? { recovery.isEmpty ? nil : recovery }

  /// The domain of an `NSError` made from this error: that of Core Data's errors.
  ///
  /// Core Data: `NSCocoaErrorDomain`.
  public static var errorDomain: String { "NSCocoaErrorDomain" }

  /// The code of an `NSError` made from this error: the number of ``code``.
  public var errorCode: Int { code.rawValue }

  /// What an `NSError` made from this error says: ``message``, and ``recovery`` if there is one.
  ///
  /// Under Core Data's keys it also has:
  /// - `NSDetailedErrors`: the ``problems``, each an `NSError`;
  /// - `NSValidationErrorKey`: the name of the ``property`` that is not valid;
  /// - `conflictList`: what a save conflicts with, an array of ``MergeConflict`` or of ``ConstraintConflict``;
  /// - `NSUnderlyingError`: the ``underlying`` error.
  ///
  /// It has neither the object, whose ID is ``objectID``, nor the value that is not valid.
  public var errorUserInfo: [String: Any] {
    var entries: [String: Any] = [NSLocalizedDescriptionKey: message]
    entries[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
    entries[NSUnderlyingErrorKey] = underlying
    if !problems.isEmpty { entries["NSDetailedErrors"] = problems.map { $0 as NSError } }
    if Self.validation ~= self, code != .multipleErrors {
      entries["NSValidationErrorKey"] = property
    }
    if code == .managedObjectMerge { entries["conflictList"] = versionConflicts }
    if code == .managedObjectConstraintMerge { entries["conflictList"] = constraintConflicts }
    return entries
  }

  private var versionConflicts: [MergeConflict] {
    conflicts.compactMap { if case .version(let conflict) = $0 { conflict } else { nil } }
  }

  private var constraintConflicts: [ConstraintConflict] {
    conflicts.compactMap { if case .constraint(let conflict) = $0 { conflict } else { nil } }
  }
}
