// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import ProgramTesting
import Testing

@Suite struct `Manual pages` {
  private let lines: [String]

  init() throws {
    lines = try #require(try SampleTool.text("man")).split(separator: "\n").map(String.init)
  }

  /// The lines between a heading and the next one of its kind or above.
  private func part(_ heading: String) throws -> [String] {
    let start = try #require(lines.firstIndex(of: heading), "no '\(heading)'")
    return lines[(start + 1)...].prefix { !$0.hasPrefix(".Sh ") && !$0.hasPrefix(".Ss ") }
  }

  @Test func `the sections stand in the order of mdoc(7)`() {
    #expect(
      lines.filter { $0.hasPrefix(".Sh ") } == [
        ".Sh NAME", ".Sh SYNOPSIS", ".Sh DESCRIPTION", ".Sh COMMANDS", ".Sh OPTIONS", ".Sh THINGS",
        ".Sh ENVIRONMENT", ".Sh FILES", ".Sh EXIT STATUS", ".Sh EXAMPLES", ".Sh SEE ALSO",
      ]
    )
    #expect(lines.first?.hasPrefix(".Dd ") == true)
    #expect(lines[1...2] == [".Dt SAMPLE 1", ".Os"])
    #expect(lines.contains(".Nd samples things"))
  }

  @Test func `every command has a part with its own options and arguments`() throws {
    #expect(
      lines.filter { $0.hasPrefix(".Ss ") } == [
        ".Ss sample list", ".Ss sample \"family add\"", ".Ss sample \"family list\"",
        ".Ss sample scan", ".Ss sample completions", ".Ss sample man",
      ]
    )
    let list = try part(".Ss sample list").filter { $0.hasPrefix(".It") }
    #expect(
      list == [
        ".It Fl \\-fixes", ".It Fl \\-limit Ar N", ".It Fl \\-author Ar NAME",
        ".It Fl \\-from Ar FILE",
      ]
    )
    #expect(try part(".Ss sample scan").contains(".It Ar FOLDER"))
    #expect(try part(".Sh OPTIONS").contains(".It Fl \\-color Ar auto|always|never"))
  }

  @Test func `variables, files and exit codes are marked as such`() throws {
    #expect(try part(".Sh ENVIRONMENT").contains(".It Ev SAMPLE_PATH"))
    #expect(try part(".Sh FILES").contains(".It Pa \\(ti/.sample"))
    #expect(try part(".Sh EXIT STATUS").filter { $0.hasPrefix(".It") } == [".It 0", ".It 64"])
    #expect(try part(".Sh SEE ALSO") == [".Xr another 1 ,", ".Xr other 1"])
  }

  @Test func `text is never read as a macro`() throws {
    let text = try part(".Sh DESCRIPTION")
    #expect(text.contains("The first paragraph has two lines."))
    #expect(text.contains { $0.hasPrefix("\\&.The second begins with a dot") })
    #expect(text.contains { $0.contains("\\efB is no macro") })
    #expect(try part(".Ss sample list").contains { $0.contains("\\(dqO\\(aqNeil\\(dq") })
    #expect(try part(".Sh EXAMPLES").contains(".Dl sample scan \\&."))
  }

  @Test(.enabled(if: Program.hasShell("groff")))
  func `groff has nothing to complain about, and shows what was meant`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "man-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let page = folder.appending(path: "sample.1")
    try Data(try #require(try SampleTool.text("man")).utf8).write(to: page)
    let result = try await Program.shell("groff", in: folder)
      .run("-mandoc", "-ww", "-Tascii", "-P-c", "-P-b", "-P-u", page.path)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    let lines = result.lines.map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.contains("--limit N"))
    #expect(lines.contains { $0.hasPrefix(".The second begins with a dot; \\fB is no macro") })
    #expect(lines.contains("sample list --author \"O'Neil\""))
    #expect(lines.contains("sample scan ."))
  }
}
