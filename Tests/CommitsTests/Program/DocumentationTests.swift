// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import ProgramTesting
import Testing

@Suite struct `The documentation of commits` {
  private let repository: TestRepository
  private let documented: DocumentedProgram

  init() throws {
    repository = try TestRepository()
    documented = DocumentedProgram(.commits(in: repository))
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
