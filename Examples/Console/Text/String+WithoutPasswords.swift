// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension String {
  /// The text without the passwords of the PostgreSQL addresses in it: safe to show.
  ///
  /// Of a text with several '@' more may go: what stands between the first ':' and the last '@' may be a password.
  public var withoutPasswords: String {
    // Most texts have none, and cost one look.
    guard contains("://") else { return self }
    let account = /(postgres(?:ql)?:\/\/[^\s:\/?]*):.*@/.ignoresCase().dotMatchesNewlines()
    return replacing(account) { "\($0.1)@" }
      .replacing(/([?&][^=&\s]*password=)[^&\s']*/.ignoresCase()) { "\($0.1)…" }
  }
}
