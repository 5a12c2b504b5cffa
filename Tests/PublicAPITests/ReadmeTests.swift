// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Holds the README against the samples that are compiled and run.
@Suite("README")
struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// A text's lines without indentation, so that a sample may stand in a function.
  private static func normalized(_ text: some StringProtocol) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The parts of the README's Swift samples, as empty lines separate them.
  private static func paragraphs() throws -> [String] {
    try text("README.md").split(separator: "```swift\n").dropFirst()
      .compactMap { $0.split(separator: "\n```").first }
      .flatMap { normalized($0).split(separator: "\n\n").map(String.init) }
  }

  @Test func `every sample is part of a program or a test`() throws {
    let sources = try [
      ".ci/client/Sources/QuickStart/main.swift",
      "Tests/PublicAPITests/Models/Commits.swift",
      "Tests/PublicAPITests/Samples/TourTests.swift",
      "Tests/PublicAPITests/Samples/ConcurrencyTests.swift",
    ].map { Self.normalized(try Self.text($0)) }
    let paragraphs = try Self.paragraphs()
    #expect(paragraphs.count > 8)
    for paragraph in paragraphs {
      #expect(sources.contains { $0.contains(paragraph) }, "\(paragraph)")
    }
  }

  @Test func `it has at most 250 lines`() throws {
    #expect(
      try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count
        <= 251
    )
  }
}
