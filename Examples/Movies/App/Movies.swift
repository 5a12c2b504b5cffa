// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import ConsoleStore
import Foundation
import MoviesKit
import Perennial

/// The program `movies`.
@main
enum Movies {
  static func main() async {
    let program = ConsoleProgram(
      MoviesTool.tool,
      color: CommonOptions.color,
      explain: { error in (error as? PerennialError).map(CommandFailure.init) }
    )
    await program.runAndExit { arguments, terminal in
      let environment = ProcessInfo.processInfo.environment
      let invocation = try Invocation(arguments, environment: environment)
      try await CommandRunner(invocation, terminal).run()
    }
  }
}
