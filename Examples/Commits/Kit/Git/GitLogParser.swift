// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Splits the output of `git log -z` with ``format`` into commits, piece by piece.
///
/// Every commit is five fields, and every field ends with a NUL byte. No field can hold a NUL
/// itself: git cuts texts there. So counting NULs is enough, whatever the texts are.
///
/// Invariants between two calls of `consume`:
/// 1. `pending` holds the bytes after the last NUL, and none of them is NUL.
/// 2. `fields` holds fewer than five fields of the commit that has begun.
public struct GitLogParser {
  /// The format to give to `git log -z`.
  ///
  /// The `-z` adds the last NUL.
  public static let format = "%H%x00%an%x00%ae%x00%ct%x00%B"

  private static let fieldCount = 5
  /// The last second of the year 9999: dates of broken commits are not later.
  private static let latestSecond: Int64 = 253_402_300_799

  private var pending: [UInt8] = []
  private var fields: [[UInt8]] = []

  /// Makes a parser at the beginning of the output.
  public init() {}

  /// Takes the next piece of the output.
  ///
  /// - Parameters:
  ///   - bytes: The piece, cut at any place.
  ///   - body: Called with each commit that is complete now.
  /// - Throws: ``GitError`` when the output is not what ``format`` makes; whatever `body` throws.
  public mutating func consume(
    _ bytes: [UInt8],
    body: (GitCommit) throws -> Void
  ) throws {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0) {
      pending += rest[..<end]
      fields.append(pending)
      pending = []
      rest = rest[(end + 1)...]
      if fields.count == Self.fieldCount {
        try body(commit())
        fields.removeAll(keepingCapacity: true)
      }
    }
    pending += rest
  }

  /// Checks that the output ended after a commit.
  ///
  /// - Throws: ``GitError/unreadableLog`` otherwise.
  public func finish() throws(GitError) {
    guard pending.isEmpty, fields.isEmpty else { throw .unreadableLog }
  }

  private func commit() throws(GitError) -> GitCommit {
    let sha = Self.text(fields[0])
    guard [40, 64].contains(sha.utf8.count), sha.utf8.allSatisfy(\.isHexDigit) else {
      throw .unreadableLog
    }
    let name = Self.text(fields[1])
    // A broken commit without a date counts as 1970, as git shows it.
    let seconds = Int64(Self.text(fields[3])) ?? 0
    return GitCommit(
      sha: sha,
      authorName: name.isEmpty ? nil : name,
      authorEmail: Self.text(fields[2]),
      date: Date(timeIntervalSince1970: Double(min(max(seconds, 0), Self.latestSecond))),
      message: Self.text(fields[4].trimmingLineFeeds)
    )
  }

  /// The text of some bytes; what is not UTF-8 becomes U+FFFD.
  private static func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    (0x30...0x39).contains(self) || (0x61...0x66).contains(self)
  }
}

extension [UInt8] {
  fileprivate var trimmingLineFeeds: ArraySlice<UInt8> {
    let end = lastIndex { $0 != 0x0A }.map { $0 + 1 } ?? 0
    return self[..<end]
  }
}
