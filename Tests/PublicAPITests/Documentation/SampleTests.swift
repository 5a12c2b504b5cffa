// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Holds every sample of the documentation against code that is compiled.
///
/// A sample is a block of Swift in the README, in an article, in a step of a tutorial or in the comment of a public
/// declaration. Each of its paragraphs has to stand in a file of a test, of an example, or of the client that CI builds.
/// Line breaks and blanks do not count, nor does a comma before a closing bracket: tests are formatted by a tool.
@Suite("Samples of the documentation")
struct SampleTests {
  /// A block of Swift, and where it stands.
  struct Sample: CustomStringConvertible {
    var file: String
    /// The line of its fence, from 1.
    var line: Int
    var text: String

    var description: String { "\(file):\(line):\n\(text)" }

    var paragraphs: [String] {
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .split { $0.allSatisfy(\.isWhitespace) }
        .map { $0.joined(separator: "\n") }
    }
  }

  /// Where samples are compiled: code that users could write, and the tests of products with libraries of their own.
  private static let places = [
    ".ci/client", "Examples", "Tests/CompileFail", "Tests/ConformanceTests",
    "Tests/CoreDataNamesTests",
    "Tests/CoreDataStoreTests", "Tests/CSVStore", "Tests/GeneratedModelTests",
    "Tests/PerennialPostgresTests",
    "Tests/PublicAPITests", "Tests/TablesStore", "Tests/TutorialTests",
  ]

  /// The files below a folder whose names have one of the extensions, as paths from the root of the package.
  private static func files(in folder: String, _ extensions: String...) throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(
      atPath: Checkout.root.appending(path: folder).path
    )
    return paths.filter { path in extensions.contains { path.hasSuffix("." + $0) } }
      .map { "\(folder)/\($0)" }.sorted()
  }

  /// A text without what the formatter may change, as UTF-8.
  static func squeezed(_ text: some StringProtocol) -> Data {
    var result: [UInt8] = []
    for byte in text.utf8 where byte > 0x20 {
      if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]"), result.last == UInt8(ascii: ",") {
        result.removeLast()
      }
      result.append(byte)
    }
    return Data(result)
  }

  /// The blocks of Swift in lines of Markdown; a line that is `nil` ends a block and is none.
  static func samples(in lines: [Substring?], of file: String) -> [Sample] {
    var samples: [Sample] = []
    var open: (sample: Sample, isSwift: Bool)?
    for (index, line) in lines.enumerated() {
      let trimmed = line?.drop { $0.isWhitespace }
      if let trimmed, let block = open {
        if trimmed.hasPrefix("```") {
          if block.isSwift { samples.append(block.sample) }
          open = nil
        } else {
          open?.sample.text += (line ?? "") + "\n"
        }
      } else if let trimmed, trimmed.hasPrefix("```") {
        let language = trimmed.dropFirst(3).prefix { $0.isLetter }
        open = (Sample(file: file, line: index + 1, text: ""), language == "swift")
      } else {
        open = nil
      }
    }
    return samples
  }

  private static func samplesOfPages() throws -> [Sample] {
    let catalogs = try files(in: "Sources", "md", "tutorial").filter { $0.contains(".docc/") }
    return try (["README.md"] + catalogs).flatMap { file in
      samples(
        in: try Checkout.text(file).split(separator: "\n", omittingEmptySubsequences: false),
        of: file
      )
    }
  }

  /// The samples in comments; those of declarations for other targets of the package are left out.
  private static func samplesOfComments() throws -> [Sample] {
    try files(in: "Sources", "swift").flatMap { file in
      let lines = try Checkout.text(file).split(separator: "\n", omittingEmptySubsequences: false)
      let comments = lines.map { line in
        let trimmed = line.drop { $0.isWhitespace }
        return trimmed.hasPrefix("///") ? trimmed.dropFirst(3) : nil
      }
      return samples(in: comments, of: file).filter { sample in
        let rest = lines.dropFirst(sample.line)
        let declaration = rest.first { line in
          let trimmed = line.drop { $0.isWhitespace }
          return !trimmed.hasPrefix("///") && !trimmed.hasPrefix("@")
        }
        return declaration?.drop { $0.isWhitespace }.hasPrefix("package ") != true
      }
    }
  }

  /// All that is compiled, squeezed; a blank is between files.
  private static let compiled = Result {
    try places.filter {
      FileManager.default.fileExists(atPath: Checkout.root.appending(path: $0).path)
    }
    .flatMap { try files(in: $0, "swift") }
    .filter { !$0.hasSuffix("Documentation/SampleTests.swift") }
    .reduce(into: Data()) { $0 += squeezed(try Checkout.text($1)) + [0x20] }
  }

  /// The samples of which a paragraph is not compiled, each with the first such paragraph.
  private static func missing(_ samples: [Sample]) throws -> [String] {
    let sources = try compiled.get()
    return samples.compactMap { sample in
      let paragraph = sample.paragraphs.first { paragraph in
        sources.range(of: squeezed(paragraph)) == nil
      }
      return paragraph.map { "\(sample.file):\(sample.line): this is not compiled:\n\($0)" }
    }
  }

  @Test func `every sample of README, articles and tutorials is compiled`() throws {
    let samples = try Self.samplesOfPages()
    #expect(samples.count > 40)
    for problem in try Self.missing(samples) { Issue.record("\(problem)") }
  }

  @Test func `every sample in the comment of a public declaration is compiled`() throws {
    let samples = try Self.samplesOfComments()
    #expect(samples.count > 100)
    for problem in try Self.missing(samples) { Issue.record("\(problem)") }
  }

  @Test func `what is not compiled is found`() throws {
    let text = "# Page\n\n```swift\nlet squeezedOut = 7_777\n```\n\n```\nnot Swift\n```\n"
    let samples = Self.samples(
      in: text.split(separator: "\n", omittingEmptySubsequences: false),
      of: "P.md"
    )
    #expect(samples.map(\.line) == [3])
    #expect(try Self.missing(samples).count == 1)
  }

  @Test func `a sample has paragraphs, and what the formatter changes does not count`() {
    let sample = Sample(file: "P.md", line: 1, text: "a(\n  b,\n)\n\n  c\n")
    #expect(sample.paragraphs == ["a(\n  b,\n)", "  c"])
    #expect(Self.squeezed("a(\n  b,\n)") == Self.squeezed("a(b)"))
    #expect(Self.squeezed("[a, b,\n]") == Data("[a,b]".utf8))
  }
}
