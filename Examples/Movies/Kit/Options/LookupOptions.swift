// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// Where popularities are looked up.
public struct LookupOptions: Sendable, Hashable {
  /// The Movie Database's own API.
  public static let publicURL =
    URL(string: "https://api.themoviedb.org") ?? URL(fileURLWithPath: "/")

  /// The beginning of all addresses.
  public var baseURL: URL
  /// The user's key, nil when there is none.
  public var key: String?

  /// Makes options.
  public init(baseURL: URL = LookupOptions.publicURL, key: String?) {
    self.baseURL = baseURL
    self.key = key
  }
}
