// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// An article of the documentation, as tests read it to hold its tables against what happens.
struct GuideArticle {
  private let lines: [Substring]

  /// The article of a file in `Perennial.docc/Articles`.
  init(_ name: String) throws {
    let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent()
    }
    let file = "Sources/Perennial/Perennial.docc/Articles/\(name).md"
    lines = try String(contentsOf: root.appending(path: file), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The rows of the tables below a heading, without their heads: the cells of each.
  func rows(below heading: String) -> [[String]] {
    let section = lines.drop { $0 != "## \(heading)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
    let tables = section.split { !$0.hasPrefix("|") }
    return tables.flatMap { $0.dropFirst(2) }.map { line in
      line.dropFirst().dropLast().split(separator: " | ", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }
}

extension String {
  /// What stands between backticks in a cell of a table.
  var code: String { trimmingCharacters(in: ["`"]) }
}
