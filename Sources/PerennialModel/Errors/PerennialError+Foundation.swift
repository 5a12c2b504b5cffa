// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// What `localizedDescription` and `NSError` say of an error.
extension PerennialError: LocalizedError, CustomNSError {
  /// ``message``, which `localizedDescription` gives.
  public var errorDescription: String? { message }

  /// ``recovery``; `nil` when there is nothing to do.
  public var recoverySuggestion: String? { recovery.isEmpty ? nil : recovery }

  /// The domain of an `NSError` that is made of this error: that of Core Data's errors.
  ///
  /// Core Data: `NSCocoaErrorDomain`.
  public static var errorDomain: String { "NSCocoaErrorDomain" }

  /// The code of an `NSError` that is made of this error: the number of ``code``.
  public var errorCode: Int { code.rawValue }

  /// What an `NSError` that is made of this error says: ``message``, and ``recovery`` if there is one.
  public var errorUserInfo: [String: Any] {
    var entries: [String: Any] = [NSLocalizedDescriptionKey: message]
    entries[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
    return entries
  }
}
