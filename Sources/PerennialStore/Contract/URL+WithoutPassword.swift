// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

extension URL {
  /// The URL without its password: what descriptions, notifications and messages may show.
  ///
  /// What follows the user's name goes, and every parameter with `password` in its name. It is done to the text, as a
  /// URL that cannot be read must not show a password either.
  package var withoutPassword: URL {
    guard !isFileURL else { return self }
    let text = absoluteString
    return URL(string: Self.withoutPassword(text)) ?? URL(filePath: "/")
  }

  /// The text of a URL without its password; a text that is no URL stays as it is.
  package static func withoutPassword(_ text: String) -> String {
    guard let scheme = text.range(of: "://") else { return text }
    let rest = text[scheme.upperBound...]
    let end = hasQuestionMarkInPassword(rest) ? rest.lastIndex(of: "@") : nil
    let question = text[(end ?? scheme.upperBound)...].firstIndex(of: "?") ?? text.endIndex
    var account = text[scheme.upperBound..<question]
    var result = text[..<scheme.upperBound]
    if let at = account.lastIndex(of: "@") {
      let colon = account[..<at].firstIndex(of: ":") ?? at
      result += account[..<colon]
      account = account[at...]
    }
    result += account
    guard question < text.endIndex else { return String(result) }
    let parameters = text[text.index(after: question)...]
      .split(separator: "&", omittingEmptySubsequences: false)
      .filter { !isPassword($0) }
    if !parameters.isEmpty { result += "?" + parameters.joined(separator: "&") }
    return String(result)
  }

  /// Whether the first '?' of what follows a URL's scheme seems to be a password's: it stands between ':' and '@'.
  package static func hasQuestionMarkInPassword(_ text: Substring) -> Bool {
    guard let mark = text.firstIndex(of: "?"), text[mark...].contains("@") else { return false }
    let account = text[..<mark]
    return account.contains(":") && !account.contains("/") && !account.contains("@")
  }

  private static func isPassword(_ parameter: Substring) -> Bool {
    let name = parameter.prefix { $0 != "=" }
    return (name.removingPercentEncoding ?? String(name)).lowercased().contains("password")
  }
}
