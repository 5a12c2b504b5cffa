// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The script that completes a tool's command lines in fish.
///
/// A function tells where the cursor is; every completion has a condition that asks it.
struct FishCompletion {
  private let tool: CommandLineTool

  init(_ tool: CommandLineTool) { self.tool = tool }

  var text: String {
    """
    # Completes command lines of \(tool.name) in fish; printed by '\(tool.name) completions fish'.

    # True when the words before the cursor are this command, and so many arguments if a number follows.
    function __\(name)_at
        set -l words (commandline -opc)
        set -l called ''
        set -l place 0
        set -l skips no
        set -l ended no
        set -e words[1]
        for word in $words
            if test $skips = yes
                set skips no
                continue
            end
            if test $ended = no
                switch $word
                    case --
                        set ended yes
                        continue
                    case \(optionsWithValue)
                        set skips yes
                        continue
                    case '-*'
                        continue
                end
            end
            set -l next (string trim -- "$called $word")
            if contains -- "$next" \(prefixes)
                set called $next
            else if test "$next" != help
                set place (math $place + 1)
            end
        end
        test "$called" = "$argv[1]"; or return 1
        test (count $argv) -lt 2; or test $place -eq $argv[2]
    end

    complete -c \(tool.name) -f
    \(lines.joined(separator: "\n"))

    """
  }

  private var name: String { tool.functionName }

  private var prefixes: String {
    tool.commandBeginnings.map(\.quotedForFish).joined(separator: " ")
  }

  private var optionsWithValue: String {
    let names = tool.optionsWithValue
    return names.isEmpty ? "''" : names.joined(separator: " ")
  }

  private var lines: [String] {
    var lines = (tool.switches + [.help]).map { line("", for: $0) }
    for prefix in tool.commandPrefixes {
      let called = prefix.joined(separator: " ").quotedForFish
      for (word, help) in tool.words(after: prefix) {
        lines.append(line("__\(name)_at \(called) 0", "-a \(word) -d \(help.quotedForFish)"))
      }
      guard let command = tool.command(called: prefix) else { continue }
      lines += command.switches.map { line("__\(name)_at \(called)", for: $0) }
      for (place, positional) in command.positionals.enumerated() {
        guard let arguments = arguments(positional.completion) else { continue }
        lines.append(line("__\(name)_at \(called) \(place)", arguments))
      }
    }
    return lines
  }

  private func line(_ condition: String, for option: Switch) -> String {
    let value =
      option.placeholder == nil ? "" : " -r " + (arguments(option.completion) ?? "-f")
    return line(condition, "-l \(option.name)\(value) -d \(option.help.quotedForFish)")
  }

  private func line(_ condition: String, _ rest: String) -> String {
    let part = condition.isEmpty ? "" : " -n \(condition.quotedForFish)"
    return "complete -c \(tool.name)\(part) \(rest)"
  }

  private func arguments(_ completion: Completion) -> String? {
    switch completion {
    case .none: nil
    case .files: "-F"
    case .folders: "-f -a '(__fish_complete_directories)'"
    case .words(let words): "-f -a \(words.joined(separator: " ").quotedForFish)"
    }
  }
}

extension String {
  /// The text as one word of fish, in single quotes.
  fileprivate var quotedForFish: String {
    "'\(replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
