// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console

/// A commit's id or its beginning, as a user types it.
public struct CommitPrefix: Sendable, Hashable {
  /// The digits in lower case, at least one.
  public let digits: String

  /// Checks a text.
  ///
  /// - Throws: ``CommandFailure`` when it is not 1 to 64 hexadecimal digits.
  public init(_ text: String) throws(CommandFailure) {
    let digits = text.lowercased()
    guard (1...64).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit),
      digits.utf8.count == digits.count
    else {
      throw .usage(
        "'\(text.escapedForTerminal)' is not a commit's id",
        "Give the id or its beginning: 1 to 64 of the digits 0-9 and a-f."
      )
    }
    self.digits = digits
  }
}
