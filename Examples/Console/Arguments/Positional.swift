// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// An argument that is known by its place.
///
/// One whose completion is a list of words takes no other word.
public struct Positional: Sendable {
  /// What it is called in the help text, in capitals.
  public let name: String
  /// What it is.
  public let help: String
  /// Whether the command runs without it; optional arguments come last.
  public let isOptional: Bool
  /// What a shell offers for it.
  public let completion: Completion

  /// Makes a positional argument.
  public init(
    _ name: String,
    help: String,
    isOptional: Bool = false,
    completion: Completion = .none
  ) {
    self.name = name
    self.help = help
    self.isOptional = isOptional
    self.completion = completion
  }
}

extension Positional {
  /// How a command line spells it: `NAME`, or `[NAME]` when it may be missing.
  var usage: String { isOptional ? "[\(name)]" : name }

  func isValid(_ word: String) -> Bool {
    guard case .words(let words) = completion else { return true }
    return words.contains(word)
  }
}
