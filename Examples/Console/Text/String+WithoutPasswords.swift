// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension String {
  /// The text without the passwords of the PostgreSQL addresses in it: safe to show.
  ///
  /// Of a text with several '@' more may go: what stands between the first ':' and the last '@' may be a password, and
  /// what follows that '@' the end of one.
  public var withoutPasswords: String {
    // Most texts have none, and cost one look.
    guard contains("://") else { return self }
    let account = /(postgres(?:ql)?:\/\/[^\s:\/?]*):(.*)@([^&\s']*)/
      .ignoresCase().dotMatchesNewlines()
    return replacing(account) { match in
      let isInQuery = match.2.lowercased().contains("password=")
      return "\(match.1)@\(isInQuery ? "…" : match.3)"
    }
    .replacing(/([?&][^=&\s]*password=)[^&\s']*/.ignoresCase()) { "\($0.1)…" }
  }
}
