// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The address of a repository's web pages, made from the address of its remote.
///
/// User names and passwords in the remote's address are dropped.
public struct WebAddress: Sendable, Hashable {
  /// The address without a slash at its end.
  public let text: String

  /// Makes the https form of a remote's address.
  ///
  /// - Parameter remote: What `git remote get-url` prints: `https://…`, `ssh://…`, `git://…` or
  ///   `user@host:path`. The result is nil for a local path, or when there is no host.
  public init?(remote: String) {
    guard let place = Self.hostAndPath(of: remote) else { return nil }
    var path = place.path.prefix { $0 != "?" && $0 != "#" }
    while path.hasPrefix("/") { path.removeFirst() }
    while path.hasSuffix("/") { path.removeLast() }
    if path.hasSuffix(".git") { path.removeLast(4) }
    let host = place.host.lowercased()
    guard !host.isEmpty, !path.isEmpty, host.utf8.allSatisfy(\.isAllowedInHost) else { return nil }
    text = "https://\(host)/\(Self.escaped(path))"
  }

  /// The address of a commit's page.
  public func commit(_ sha: String) -> String { "\(text)/commit/\(sha)" }

  private static func hostAndPath(of remote: String) -> (host: Substring, path: Substring)? {
    guard let scheme = remote.firstRange(of: "://") else { return shortForm(of: remote) }
    let rest = remote[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" }
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
    let path = rest[authority.endIndex...]
    switch remote[..<scheme.lowerBound].lowercased() {
    case "https", "http":
      return (place ?? authority, path)
    case "ssh", "git", "git+ssh", "ssh+git":
      return ((place ?? authority).withoutPort, path)
    default:
      return nil
    }
  }

  /// The host and path of `user@host:path`.
  ///
  /// A slash before the colon makes it a local path, as for git itself.
  private static func shortForm(of remote: String) -> (host: Substring, path: Substring)? {
    guard let colon = remote.firstIndex(of: ":") else { return nil }
    let authority = remote[..<colon]
    guard !authority.contains("/") else { return nil }
    let start = authority.lastIndex(of: "@").map(authority.index(after:))
    let host = authority[(start ?? authority.startIndex)...]
    // One letter is a drive, not a host.
    return host.count > 1 ? (host, remote[remote.index(after: colon)...]) : nil
  }

  private static func escaped(_ path: Substring) -> String {
    var result = ""
    for byte in path.utf8 {
      if byte.isAllowedInPath {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += byte < 0x10 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}

extension Substring {
  fileprivate var withoutPort: Substring {
    guard let colon = lastIndex(of: ":"), self[colon...].dropFirst().allSatisfy(\.isNumber) else {
      return self
    }
    return self[..<colon]
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  fileprivate var isAllowedInHost: Bool { isLetterOrDigit || "-._:[]".utf8.contains(self) }

  /// A percent sign stays: the path may be escaped already.
  fileprivate var isAllowedInPath: Bool {
    isLetterOrDigit || "-._~/%!$&'()*+,;=:@".utf8.contains(self)
  }
}
