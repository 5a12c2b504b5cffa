// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import Perennial

// Foundation has these initialisers only as unavailable ones here; those of an extension win.

#if !canImport(Darwin)

extension NSPredicate {
  /// A predicate with a format string.
  ///
  /// ```swift
  /// NSPredicate(format: "message CONTAINS[c] %@", word)
  /// ```
  ///
  /// As in Foundation, the format may be made at run time. Never build it from what a user typed: pass that as an
  /// argument. Foundation ends the program at a wrong format; here the fetch throws an error.
  ///
  /// - Parameters:
  ///   - format: The format string.
  ///   - arguments: A value for every placeholder, in their order.
  public convenience init(format: String, _ arguments: Any...) {
    self.init(FetchPredicate(keeping: format, arguments: arguments))
  }

  /// A predicate with a format string, for callers that have the values in an array.
  ///
  /// - Parameters:
  ///   - format: The format string.
  ///   - arguments: A value for every placeholder, in their order.
  public convenience init(format: String, argumentArray arguments: [Any]?) {
    self.init(FetchPredicate(keeping: format, arguments: arguments ?? []))
  }
}

#endif
