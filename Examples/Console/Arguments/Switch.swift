// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// An ``Option`` or a ``Flag`` of a command, with the value's type erased.
public struct Switch: Sendable {
  let name: String
  let placeholder: String?
  let help: String
  let expects: String
  let completion: Completion
  let isValid: @Sendable (String) -> Bool

  /// The entry for an option.
  public static func option<Value>(_ option: Option<Value>) -> Switch {
    Switch(
      name: option.name,
      placeholder: option.placeholder,
      help: option.help,
      expects: option.expects,
      completion: option.completion,
      isValid: { option.convert($0) != nil }
    )
  }

  /// The entry for a flag.
  public static func flag(_ flag: Flag) -> Switch {
    Switch(
      name: flag.name,
      placeholder: nil,
      help: flag.help,
      expects: "",
      completion: .none,
      isValid: { _ in false }
    )
  }

  /// How the command line spells it, such as `--limit N`.
  var usage: String {
    placeholder.map { "--\(name) \($0)" } ?? "--\(name)"
  }
}
