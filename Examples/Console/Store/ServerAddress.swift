// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// The address of a database on a PostgreSQL server, as a command line has it.
public struct ServerAddress: Sendable, Hashable {
  /// The address, with its password if it has one.
  public let url: URL

  /// The address without the password: what may be shown.
  public var shown: String { url.absoluteString.withoutPasswords.escapedForTerminal }

  /// Reads an address.
  ///
  /// - Parameter text: `postgres://user@host:port/database`; every part may be missing.
  /// - Throws: ``CommandFailure`` for anything else; it does not repeat the text, which may hold a password.
  public init(_ text: String) throws(CommandFailure) {
    guard Self.isAddress(text), let url = URL(string: text) else {
      throw .usage("the address of the server cannot be read", "Write: \(Self.form)")
    }
    self.url = url
  }

  /// Whether a word of a command line is meant as an address and not as a file.
  public static func isAddress(_ text: String) -> Bool {
    text.prefixMatch(of: /postgres(?:ql)?:\/\//.ignoresCase()) != nil
  }

  /// How an address is written.
  static let form = "postgres://user@host:port/database"
}
