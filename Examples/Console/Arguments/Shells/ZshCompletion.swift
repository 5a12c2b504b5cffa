// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The script that completes a tool's command lines in zsh: a function for every beginning of a command's name.
struct ZshCompletion {
  private let tool: CommandLineTool

  init(_ tool: CommandLineTool) { self.tool = tool }

  var text: String {
    """
    #compdef \(tool.name)
    # Completes command lines of \(tool.name) in zsh; printed by '\(tool.name) completions zsh'.

    \(tool.commandPrefixes.map(function).joined(separator: "\n\n"))

    # zsh calls the file as a function when it finds it by its name; whoever sources it has it declared.
    if [[ "${funcstack[1]}" == _\(name) ]]; then
      _\(name) "$@"
    else
      compdef _\(name) \(tool.name)
    fi

    """
  }

  private var name: String { tool.functionName }

  private func functionName(_ prefix: [String]) -> String {
    (["_\(name)"] + prefix.map { $0.replacing("-", with: "_") }).joined(separator: "_")
  }

  private func function(_ prefix: [String]) -> String {
    let command = tool.command(called: prefix)
    let words = tool.words(after: prefix)
    var specifications = tool.switches(of: command).map(specification)
    if words.isEmpty {
      specifications += (command?.positionals ?? []).enumerated().map { place, positional in
        let colons = positional.isOptional ? "::" : ":"
        return "\(place + 1)\(colons)\(escaped(positional.name)):\(action(positional.completion))"
      }
    } else {
      specifications += ["1: :->word", "*:: :->rest"]
    }
    var lines = ["\(functionName(prefix))() {"]
    if !words.isEmpty {
      lines += [
        "  local curcontext=\"$curcontext\" context state state_descr line ret=1",
        "  typeset -A opt_args",
      ]
    }
    lines.append("  _arguments\(words.isEmpty ? "" : " -C") \\")
    lines += specifications.map { "    \($0.quotedForShell) \\" }
    if words.isEmpty {
      // The last line must not be continued.
      lines[lines.count - 1].removeLast(2)
    } else {
      lines.append("    && ret=0")
      lines += dispatch(prefix, words)
      lines.append("  return ret")
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  /// What is done for the next word of a command's name, and for what follows it.
  private func dispatch(_ prefix: [String], _ words: [(word: String, help: String)]) -> [String] {
    let descriptions = words.map { word in
      "        \("\(word.word):\(word.help)".quotedForShell)"
    }
    let cases = words.map { word in
      "        \(word.word)) \(functionName(prefix + [word.word])) && ret=0 ;;"
    }
    return ["  case $state in", "    word)", "      local -a words_here=("] + descriptions
      + ["      )", "      _describe -t commands command words_here && ret=0", "      ;;"]
      + ["    rest)", "      case $line[1] in"] + cases + ["      esac", "      ;;", "  esac"]
  }

  private func specification(_ option: Switch) -> String {
    guard let placeholder = option.placeholder else {
      return "--\(option.name)[\(escaped(option.help))]"
    }
    let title = option.completion.isWords ? "value" : escaped(placeholder)
    return "--\(option.name)=[\(escaped(option.help))]:\(title):\(action(option.completion))"
  }

  private func action(_ completion: Completion) -> String {
    switch completion {
    case .none: " "
    case .files: "_files"
    case .folders: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  /// A text within a specification, where colons and brackets separate its parts.
  private func escaped(_ text: String) -> String {
    text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}

extension Completion {
  fileprivate var isWords: Bool {
    if case .words = self { return true }
    return false
  }
}
