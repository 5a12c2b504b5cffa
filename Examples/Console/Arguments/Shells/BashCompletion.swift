// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The script that completes a tool's command lines in bash.
///
/// It runs in every bash from 3.2 on, without the package `bash-completion`. Bash cuts `--store=json` into three
/// words, so an equals sign may stand between an option and its value.
struct BashCompletion {
  private let tool: CommandLineTool

  init(_ tool: CommandLineTool) { self.tool = tool }

  var text: String {
    """
    # Completes command lines of \(tool.name) in bash; printed by '\(tool.name) completions bash'.

    _\(name)() {
      local word command='' option='' ended='' place=0 i
      local current="${COMP_WORDS[COMP_CWORD]}"
      COMPREPLY=()
      for ((i = 1; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ -n $option ]]; then
          if [[ $word != = ]]; then option=''; fi
        elif [[ -z $ended && $word == -- ]]; then
          ended=1
        elif [[ -z $ended && $word == -* ]]; then
          case "$word" in
            \(alternatives(tool.optionsWithValue))) option="$word" ;;
          esac
        elif [[ -z $command && $word == help ]]; then
          continue
        else
          case "${command:+$command }$word" in
            \(alternatives(tool.commandBeginnings))) command="${command:+$command }$word" ;;
            *) place=$((place + 1)) ;;
          esac
        fi
      done
      if [[ -n $option ]]; then
        if [[ $current == = ]]; then current=''; fi
        case "$command $option" in
    \(cases(values))
        esac
      elif [[ -z $ended && $current == -* ]]; then
        case "$command" in
    \(cases(switches))
        esac
      else
        case "$command $place" in
    \(cases(places))
        esac
      fi
    }

    # Offers those of some words that begin with what is typed.
    _\(name)_words() {
      local word
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$current")
    }

    # Offers files (-f) or folders (-d).
    _\(name)_paths() {
      local path
      while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$current")
      compopt -o filenames 2> /dev/null
    }

    complete -F _\(name) \(tool.name)

    """
  }

  private var name: String { tool.functionName }

  /// What may stand behind an option: for each command, and where no command is known yet.
  private var values: [(pattern: String, action: String)] {
    func rows(_ command: String, _ switches: [Switch]) -> [(pattern: String, action: String)] {
      switches.compactMap { option in
        action(for: option.completion).map { (command + "' --\(option.name)'", $0) }
      }
    }
    // The tool's own options mean the same behind every command.
    return rows("*", tool.switches)
      + tool.allCommands.flatMap { rows($0.name.quotedForShell, $0.switches) }
  }

  private var switches: [(pattern: String, action: String)] {
    tool.commandPrefixes.map { prefix in
      let command = tool.command(called: prefix)
      let names = tool.switches(of: command).map { "--\($0.name)" }
      return (prefix.joined(separator: " ").quotedForShell, words(names))
    }
  }

  private var places: [(pattern: String, action: String)] {
    tool.commandPrefixes.flatMap { prefix in
      let called = prefix.joined(separator: " ")
      let next = tool.words(after: prefix).map(\.word)
      let own = next.isEmpty ? [] : [("\(called) 0".quotedForShell, words(next))]
      let positionals = tool.command(called: prefix)?.positionals ?? []
      return own
        + positionals.enumerated().compactMap { place, positional in
          action(for: positional.completion).map { ("\(called) \(place)".quotedForShell, $0) }
        }
    }
  }

  private func action(for completion: Completion) -> String? {
    switch completion {
    case .none: nil
    case .files: "_\(name)_paths -f"
    case .folders: "_\(name)_paths -d"
    case .words(let list): words(list)
    }
  }

  private func words(_ list: [String]) -> String {
    "_\(name)_words \(list.joined(separator: " ").quotedForShell)"
  }

  private func alternatives(_ words: [String]) -> String {
    words.isEmpty ? "''" : words.map(\.quotedForShell).joined(separator: " | ")
  }

  private func cases(_ rows: [(pattern: String, action: String)]) -> String {
    (rows.map { "      \($0.pattern)) \($0.action) ;;" } + ["      *) ;;"]).joined(separator: "\n")
  }
}
