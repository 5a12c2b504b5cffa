// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The shells that a tool completes its command lines in.
enum Shell: String, Sendable, CaseIterable {
  case bash
  case zsh
  case fish
}

extension CommandLineTool {
  /// The script that completes the tool's command lines in a shell.
  func completionScript(for shell: Shell) -> String {
    switch shell {
    case .bash: BashCompletion(self).text
    case .zsh: ZshCompletion(self).text
    case .fish: FishCompletion(self).text
    }
  }

  /// Every beginning of a command's name, with the empty one, in the order of the commands.
  var commandPrefixes: [[String]] {
    var prefixes: [[String]] = [[]]
    for command in allCommands {
      for count in 1...max(1, command.words.count) {
        let prefix = Array(command.words.prefix(count))
        if !prefixes.contains(prefix) { prefixes.append(prefix) }
      }
    }
    return prefixes
  }

  /// The beginnings as words with blanks between them, without the empty one.
  var commandBeginnings: [String] {
    commandPrefixes.dropFirst().map { $0.joined(separator: " ") }
  }

  /// The options that a value follows, each once: `--limit`.
  var optionsWithValue: [String] {
    let all = allCommands.flatMap(\.switches) + switches
    return all.filter { $0.placeholder != nil }.map { "--\($0.name)" }
      .reduce(into: []) { names, name in
        if !names.contains(name) { names.append(name) }
      }
  }

  /// The words that may follow the beginning of a command's name, each once, with what it is for.
  func words(after prefix: [String]) -> [(word: String, help: String)] {
    var found: [(word: String, help: String)] = []
    for command in allCommands where command.words.starts(with: prefix) {
      guard let word = command.words.dropFirst(prefix.count).first,
        !found.contains(where: { $0.word == word })
      else { continue }
      let isWhole = command.words.count == prefix.count + 1
      found.append((word, isWhole ? command.summary : "commands that begin with \(word)"))
    }
    return found
  }

  /// The command that some words call.
  func command(called words: [String]) -> Command? { allCommands.first { $0.words == words } }

  /// All options and flags of a command, those of the tool and the request for help.
  func switches(of command: Command?) -> [Switch] { (command?.switches ?? []) + switches + [.help] }

  /// The name as a part of a shell function's name.
  var functionName: String {
    String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}

extension String {
  /// The text as one word of a shell, in single quotes.
  var quotedForShell: String { "'\(replacing("'", with: "'\\''"))'" }
}
