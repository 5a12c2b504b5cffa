// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Foundation
import Testing

@Suite struct `Splitting the output of git log` {
  static let sha = String(repeating: "0a", count: 20)
  static let output = Array(
    "\(sha)\0Zoë\0zoe@example.org\u{0}1453837578\0Fix 🎉\n\nBody\n\n\0\(sha)\0\0\u{0}0\0\0".utf8
  )
  static let commits = [
    GitCommit(
      sha: sha,
      authorName: "Zoë",
      authorEmail: "zoe@example.org",
      date: Date(timeIntervalSince1970: 1_453_837_578),
      message: "Fix 🎉\n\nBody"
    ),
    GitCommit(
      sha: sha,
      authorName: nil,
      authorEmail: "",
      date: Date(timeIntervalSince1970: 0),
      message: ""
    ),
  ]

  /// What a parser makes of some pieces.
  static func parse(_ pieces: [[UInt8]]) throws -> [GitCommit] {
    var parser = GitLogParser()
    var commits: [GitCommit] = []
    for piece in pieces { try parser.consume(piece) { commits.append($0) } }
    try parser.finish()
    return commits
  }

  @Test func `the pieces may be cut at any byte`() throws {
    for cut in 0...Self.output.count {
      let pieces = [Array(Self.output[..<cut]), Array(Self.output[cut...])]
      #expect(try Self.parse(pieces) == Self.commits)
    }
    #expect(try Self.parse(Self.output.map { [$0] }) == Self.commits)
  }

  @Test func `no output is no commit`() throws {
    #expect(try Self.parse([]).isEmpty)
  }

  @Test func `an output that ends within a commit is an error`() {
    let firstLength = Self.output.count - Self.sha.utf8.count - 6
    for cut in 1..<Self.output.count where cut != firstLength {
      let piece = Array(Self.output[..<cut])
      #expect(throws: GitError.unreadableLog) { try Self.parse([piece]) }
    }
    #expect(throws: Never.self) { try Self.parse([Array(Self.output[..<firstLength])]) }
  }

  @Test(arguments: ["abc", String(repeating: "g", count: 40), ""])
  func `a commit needs an id`(sha: String) {
    let output = Array("\(sha)\0n\0e\u{0}0\0m\0".utf8)
    #expect(throws: GitError.unreadableLog) { try Self.parse([output]) }
  }

  @Test(arguments: [
    ("", 0.0), ("-5", 0.0), ("18446744073709551615", 0.0), ("9223372036854775807", 253_402_300_799),
  ])
  func `a broken date becomes one that can be stored`(date: String, seconds: Double) throws {
    let output = Array("\(Self.sha)\0n\0e\0\(date)\0m\0".utf8)
    let commits = try Self.parse([output])
    #expect(commits.map(\.date.timeIntervalSince1970) == [seconds])
  }

  @Test func `bytes that are not UTF-8 are replaced`() throws {
    let output = Array("\(Self.sha)\0n\0e\u{0}0\0a".utf8) + [0xFF, 0x62, 0]
    #expect(try Self.parse([output]).map(\.message) == ["a\u{FFFD}b"])
  }
}
