// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import ProgramTesting
import Testing

/// A folder with a file and a folder to complete.
private final class CompletionFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "complete-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url.appending(path: "some folder"),
      withIntermediateDirectories: true
    )
    try Data().write(to: url.appending(path: "some file"))
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ shell: String) throws -> String {
    let script = url.appending(path: ".sample-\(shell)")
    try Data(try #require(try SampleTool.text("completions", shell)).utf8).write(to: script)
    return script.path
  }
}

@Suite struct `Completions in bash` {
  struct Case: Sendable, CustomTestStringConvertible {
    let words: [String]
    let offered: [String]

    init(_ words: String..., offers offered: [String]) {
      self.words = words
      self.offered = offered
    }

    var testDescription: String { words.joined(separator: " ") }
  }

  static let own = ["--json", "--color", "--help"]

  // Bash cuts `--color=al` into three words.
  static let cases = [
    Case("", offers: ["list", "family", "scan", "completions", "man"]),
    Case("fam", offers: ["family"]),
    Case("nothing", offers: []),
    Case("help", "s", offers: ["scan"]),
    Case("--", offers: own),
    Case("family", "", offers: ["add", "list"]),
    Case("family", "--j", offers: ["--json"]),
    Case("list", "--", offers: ["--fixes", "--limit", "--author", "--from"] + own),
    Case("list", "--fixes", "--li", offers: ["--limit"]),
    Case("list", "--limit", "", offers: []),
    Case("list", "", offers: []),
    Case("--color", "", offers: ["auto", "always", "never"]),
    Case("--color", "a", offers: ["auto", "always"]),
    Case("--color", "=", offers: ["auto", "always", "never"]),
    Case("list", "--color", "=", "n", offers: ["never"]),
    Case("--color", "never", "l", offers: ["list"]),
    Case("--color", "=", "never", "l", offers: ["list"]),
    Case("--json", "family", "a", offers: ["add"]),
    Case("list", "--from", "so", offers: ["some file", "some folder"]),
    Case("list", "--from", "=", "some fi", offers: ["some file"]),
    Case("scan", "some", offers: ["some folder"]),
    Case("scan", ".", "", offers: ["photo", "text"]),
    Case("scan", ".", "--color", "auto", "t", offers: ["text"]),
    Case("scan", ".", "photo", "", offers: []),
    Case("scan", "--", "--", offers: []),
    Case("completions", "", offers: ["bash", "zsh", "fish"]),
    Case("family", "list", "scan", "", offers: []),
  ]

  @Test(arguments: cases)
  func `what is offered is what may stand there`(line: Case) async throws {
    let folder = try CompletionFolder()
    let script = try #require(try SampleTool.text("completions", "bash"))
    let completer = try BashCompleter("sample", script: script, in: folder.url)
    let offered = try await completer.completions(of: line.words)
    #expect(offered.sorted() == line.offered.sorted())
  }

  @Test func `the script has no mistakes`() async throws {
    let folder = try CompletionFolder()
    let script = try #require(try SampleTool.text("completions", "bash"))
    #expect(try await BashCompleter("sample", script: script, in: folder.url).complaints() == "")
  }
}

@Suite struct `Completions in other shells` {
  @Test(.enabled(if: Program.hasShell("zsh")))
  func `zsh reads the script`() async throws {
    let folder = try CompletionFolder()
    let result = try await Program.shell("zsh", in: folder.url).run("-n", folder.write("zsh"))
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  @Test(
    .enabled(if: Program.hasShell("fish")),
    arguments: [
      ("sample ", ["completions", "family", "list", "man", "scan"]),
      ("sample family ", ["add", "list"]), ("sample --color never fam", ["family"]),
      ("sample list --co", ["--color"]), ("sample list --color a", ["always", "auto"]),
      ("sample list --color=ne", ["--color=never"]), ("sample family --lim", []),
      ("sample list --lim", ["--limit"]), ("sample scan some", ["some folder/"]),
      ("sample scan . ", ["photo", "text"]),
      ("sample list --from some", ["some file", "some folder/"]),
      ("sample completions z", ["zsh"]), ("sample list ", []),
    ]
  )
  func `fish offers what may stand there`(line: String, offered: [String]) async throws {
    let folder = try CompletionFolder()
    let fish = Program.shell("fish", in: folder.url)
    let script = try folder.write("fish")
    let result = try await fish.run(
      "-N",
      "-c",
      "source $argv[1]; complete -C $argv[2]",
      script,
      line
    )
    #expect(result.errors == "")
    let words = result.lines.map { String($0.prefix { $0 != "\t" }).replacing("\\ ", with: " ") }
    #expect(words.sorted() == offered)
  }
}
