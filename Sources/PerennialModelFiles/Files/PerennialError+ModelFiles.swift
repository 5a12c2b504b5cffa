// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension PerennialError {
  /// A model file that cannot be read.
  static func unreadableModel(
    _ name: String,
    _ reason: String,
    _ recovery: String =
      "save it again with Xcode, or write it by hand as the article ModelFiles says"
  ) -> PerennialError {
    .invalidModel("The model '\(name)' cannot be read: \(reason).", recovery)
  }
}
