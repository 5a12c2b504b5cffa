// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

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
}
