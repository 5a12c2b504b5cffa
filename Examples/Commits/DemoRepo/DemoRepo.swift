// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import DemoHistory
import Foundation

/// The program `demo-repo`: writes a made-up repository for tests and measurements.
@main
enum DemoRepo {
  private static let path = Positional(
    "PATH",
    help: "an empty folder, or one to make",
    completion: .folders
  )
  private static let count = Option(
    count: "commits",
    help: "the number of commits (default: 11000)"
  )
  private static let seed = Option(
    "seed",
    placeholder: "N",
    help: "what decides about the content (default: 1)",
    expects: "a whole number, 0 or more",
    convert: { UInt64($0) }
  )

  private static let tool = CommandLineTool(
    "demo-repo",
    summary: "Writes a git repository with a made-up history.",
    switches: [.option(CommonOptions.color)],
    commands: [
      Command(
        "",
        summary: "Writes a git repository with a made-up history.",
        discussion: """
          For tests, measurements and recordings: merges, fixes, Unicode, an empty message and a \
          commit without a name. The same number and seed give the same commits, with the same ids.
          """,
        positionals: [path],
        switches: [.option(count), .option(seed)],
        examples: [
          "/tmp/demo": "",
          "/tmp/demo --commits 500 --seed 7": "a small one, with other names and messages",
        ]
      )
    ],
    sections: [
      HelpSection(.environment, ["PATH": "where 'git' is looked for"]),
      .exitCodes([
        .success: "the repository is there",
        .failure: "failed; a message on standard error says why, and what to do",
        .cancelled: "cancelled with Ctrl-C",
        .usage: "the command line is wrong",
      ]),
    ]
  )

  static func main() async {
    let program = ConsoleProgram(tool, color: CommonOptions.color) { ($0 as? GitError)?.failure }
    await program.runAndExit { arguments, terminal in
      let start = ContinuousClock.now
      let history = DemoHistory(count: arguments[count] ?? 11_000, seed: arguments[seed] ?? 1)
      let git = try Git(environment: ProcessInfo.processInfo.environment)
      try DemoRepository(git).write(history, to: arguments[path] ?? "")
      let elapsed = (ContinuousClock.now - start).roundedSeconds
      terminal.note("\(history.count.counted("commit")) in \(elapsed)")
    }
  }
}
