// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

#if !canImport(Darwin)

/// Lets `catch let error as NSError` match this error where there is no Objective-C.
///
/// There a cast to a class asks for this protocol of the standard library. Without it the cast of a concrete
/// error is no, and since a save throws no other error, the compiler makes the pattern a cast that must not
/// fail: the program would end. Decision 0034 says more.
extension PerennialError: _ObjectiveCBridgeable {
  /// The error as an `NSError`, as `error as NSError` makes it.
  ///
  /// - Returns: An `NSError` of ``errorDomain``, ``errorCode`` and ``errorUserInfo``.
  public func _bridgeToObjectiveC() -> NSError {
    NSError(domain: Self.errorDomain, code: errorCode, userInfo: errorUserInfo)
  }

  /// Makes no error, because an `NSError` lacks the object's ID.
  ///
  /// - Parameters:
  ///   - source: An `NSError`.
  ///   - result: Becomes `nil`.
  public static func _forceBridgeFromObjectiveC(
    _ source: NSError,
    result: inout PerennialError?
  ) {
    result = nil
  }

  /// Makes no error, because an `NSError` lacks the object's ID.
  ///
  /// - Parameters:
  ///   - source: An `NSError`.
  ///   - result: Becomes `nil`.
  /// - Returns: `false`.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSError,
    result: inout PerennialError?
  ) -> Bool {
    result = nil
    return false
  }

  /// An error of the same code and text: the protocol asks for it, but no cast calls it.
  ///
  /// - Parameter source: An `NSError`; `nil` for the code 0.
  /// - Returns: The error.
  @_effects(readonly)
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> PerennialError {
    PerennialError(Code(rawValue: source?.code ?? 0), source?.localizedDescription ?? "")
  }
}

#endif
