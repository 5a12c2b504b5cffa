// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Something that is damaged and used, again and again.
protocol Victim {
  /// What it is one of.
  var kind: String { get }
  /// Damages it in a way that chance determines, uses it, and tells what came of that.
  ///
  /// What it throws must not be.
  func attack(_ chance: inout Chance) throws -> Attempts
}
