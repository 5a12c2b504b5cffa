// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The length of the README; `SampleTests` looks at its samples.
@Suite("README")
struct ReadmeTests {
  @Test func `it has at most 250 lines`() throws {
    #expect(
      try Checkout.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count
        <= 251
    )
  }
}
