// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The length of the README; `SampleTests` looks at its samples.
@Suite("README")
struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test func `it has at most 250 lines`() throws {
    #expect(
      try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count
        <= 251
    )
  }
}
