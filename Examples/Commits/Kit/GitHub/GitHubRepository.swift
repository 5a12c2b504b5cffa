// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The name of a repository at GitHub: `OWNER/REPO`.
public struct GitHubRepository: Sendable, Hashable {
  /// The name, such as `apple/swift`.
  public let name: String

  /// Reads a name, nil when it is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy(Self.isName) else { return nil }
    name = text
  }

  private static func isName(_ text: Substring) -> Bool {
    let allowed = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
    return allowed && (1...100).contains(text.utf8.count) && text != "." && text != ".."
  }
}
