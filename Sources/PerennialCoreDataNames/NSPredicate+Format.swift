// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import Perennial

// Foundation has these initialisers only as unavailable ones here; those of an extension win.

#if !canImport(Darwin)

extension NSPredicate {
  /// A predicate of a format string.
  ///
  /// ```swift
  /// NSPredicate(format: "message CONTAINS[c] %@", word)
  /// ```
  ///
  /// As in Foundation, the format may be made at run time. Never make it of what a user typed: pass
  /// that as an argument. A wrong format, where Foundation ends the program, is an error that the
  /// fetch throws.
  ///
  /// - Parameters:
  ///   - format: The format string.
  ///   - arguments: A value for every placeholder, in their order.
  public convenience init(format: String, _ arguments: Any...) {
    self.init(FetchPredicate(keeping: format, arguments: arguments))
  }

  /// A predicate of a format string, for callers with a list.
  ///
  /// - Parameters:
  ///   - format: The format string.
  ///   - arguments: A value for every placeholder, in their order.
  public convenience init(format: String, argumentArray arguments: [Any]?) {
    self.init(FetchPredicate(keeping: format, arguments: arguments ?? []))
  }
}

#endif
