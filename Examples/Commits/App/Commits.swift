// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import ConsoleStore
import Foundation
import Perennial

/// The program `commits`.
@main
enum Commits {
  static func main() async {
    let program = ConsoleProgram(
      CommitsTool.tool,
      color: CommonOptions.color,
      explain: CommandFailure.explaining
    )
    await program.runAndExit { arguments, terminal in
      let environment = ProcessInfo.processInfo.environment
      let invocation = try Invocation(arguments, environment: environment)
      try await CommandRunner(invocation, terminal).run()
    }
  }
}

extension CommandFailure {
  /// What the user reads about an error of git or of the store, nil for other errors.
  static func explaining(_ error: any Error) -> CommandFailure? {
    if let error = error as? GitError { return error.failure }
    return (error as? PerennialError).map(CommandFailure.init)
  }
}
