// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import Foundation
import Perennial

/// The program `commits`.
@main
enum Commits {
  static func main() async {
    let program = ConsoleProgram(
      CommitsTool.tool,
      color: CommitsTool.color,
      explain: CommandFailure.explaining
    )
    await program.runAndExit { arguments, terminal in
      let environment = ProcessInfo.processInfo.environment
      let invocation = try Invocation(arguments, environment: environment)
      try await CommandRunner(invocation, terminal).run()
    }
  }
}
