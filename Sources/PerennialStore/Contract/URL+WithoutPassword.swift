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
    // Parameters behind a '?' that was taken for the password's.
    let pieces = account.split(separator: "&", omittingEmptySubsequences: false)
    result += (pieces.prefix(1) + pieces.dropFirst().filter { !isPassword($0) })
      .joined(separator: "&")
    guard question < text.endIndex else { return String(result) }
    let parameters = text[text.index(after: question)...]
      .split(separator: "&", omittingEmptySubsequences: false)
      .filter { !isPassword($0) }
    if !parameters.isEmpty { result += "?" + parameters.joined(separator: "&") }
    return String(result)
  }

  /// Whether the first '?' of what follows a URL's scheme seems to be a password's: it stands between ':' and '@', and
  /// what is before it is no host with its port, or what follows it is no parameter.
  package static func hasQuestionMarkInPassword(_ text: Substring) -> Bool {
    guard let mark = text.firstIndex(of: "?"), let end = text.lastIndex(of: "@"), mark < end,
      text[..<mark].contains(":")
    else { return false }
    guard endsInPorts(text[..<mark]) else { return true }
    let parts = text[text.index(after: mark)..<end].split(separator: "&")
    return !parts.prefix(1).contains { $0.contains("=") && ServerParameters.contains(name(of: $0)) }
      && !parts.contains { $0.contains("=") && isPassword($0) }
  }

  /// Whether what is before a '?' can be a list of hosts: only digits follow a ':'.
  ///
  /// What has an account or a path, too, is not looked at.
  private static func endsInPorts(_ text: Substring) -> Bool {
    guard !text.contains("@"), !text.contains("/") else { return true }
    return text.split(separator: ",").allSatisfy { host in
      let address = host.hasPrefix("[") ? host.lastIndex(of: "]") : nil
      guard let colon = host[(address ?? host.startIndex)...].firstIndex(of: ":") else {
        return true
      }
      return host[host.index(after: colon)...].allSatisfy { $0.isASCII && $0.isNumber }
    }
  }

  private static func isPassword(_ parameter: Substring) -> Bool {
    name(of: parameter).lowercased().contains("password")
  }

  private static func name(of parameter: Substring) -> String {
    let name = parameter.prefix { $0 != "=" }
    return name.removingPercentEncoding ?? String(name)
  }
}
