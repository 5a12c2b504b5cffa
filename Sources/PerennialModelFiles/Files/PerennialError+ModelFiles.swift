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

  /// A model that cannot be written as XML, because of a character.
  static func unwritableModel(
    _ name: String,
    _ character: Unicode.Scalar,
    _ place: String
  ) -> PerennialError {
    let digits = String(character.value, radix: 16, uppercase: true)
    let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return .invalidModel(
      "The model '\(name)' cannot be written: \(place) has the character U+\(code).",
      "take the character away, which no XML file can hold; Swift source can ('perennial model --swift')"
    )
  }
}
