// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting
import Testing

@Suite struct `The documentation of perennial` {
  private let folder: ToolFolder
  private let documented: DocumentedProgram

  init() throws {
    folder = try ToolFolder()
    documented = DocumentedProgram(folder.program)
  }

  @Test func `the manual page and the completions have all that the help pages have`() async throws
  {
    #expect(try await documented.differences() == [])
    #expect(try await documented.completer().complaints() == "")
  }

  @Test(.enabled(if: Program.hasShell("groff")))
  func `groff has nothing to complain about`() async throws {
    #expect(try await documented.manualComplaints() == "")
  }

  /// A command of the article, what it prints, and whether that is only the beginning.
  private struct Sample {
    let command: String
    let output: String
    let isCut: Bool

    init(_ text: String) {
      let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      command = String(parts[0])
      let rest = parts.count > 1 ? String(parts[1]) : ""
      isCut = rest.hasSuffix("…\n")
      output = isCut ? String(rest.dropLast(2)) : rest
    }
  }

  /// The samples of each block of the article.
  private static func samples() throws -> [[Sample]] {
    let path = "Sources/Perennial/Perennial.docc/Articles/CommandLineTool.md"
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    return text.components(separatedBy: "```console\n").dropFirst().map { block in
      block.components(separatedBy: "```")[0].components(separatedBy: "$ perennial ").dropFirst()
        .map(Sample.init)
    }
  }

  @Test func `every output in the article is what the program prints`() async throws {
    let blocks = try Self.samples()
    #expect(blocks.count == 7)
    for samples in blocks {
      let folder = try ToolFolder()
      try folder.copy("users")
      _ = try folder.copyModel()
      let shell = Program(
        executable: URL(filePath: "/bin/sh"),
        folder: folder.url,
        environment: folder.program.environment
      )
      for sample in samples {
        if sample.command.hasPrefix("diff ") { try Self.makeChangedCopy(in: folder) }
        let line = "'\(folder.program.executable.path)' \(sample.command)"
        let result = try await shell.run("-c", line)
        let text = sample.isCut ? String(result.text.prefix(sample.output.count)) : result.text
        #expect(text == sample.output, "\(sample.command): \(result.errors)")
      }
    }
  }

  /// Makes the other store that the article compares.
  private static func makeChangedCopy(in folder: ToolFolder) throws {
    try FileManager.default.copyItem(
      at: folder.file("users/store.sqlite"),
      to: folder.file("copy.sqlite")
    )
    try SQLiteDatabase(folder.file("copy.sqlite")).run(
      "UPDATE ZUSER SET ZPETNAME = 'Rex' WHERE Z_PK = 2",
      "DELETE FROM ZUSER WHERE Z_PK = 12"
    )
  }
}
