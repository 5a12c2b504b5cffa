// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What the lexer or parser cannot accept, and where.
///
/// A class, because a large error makes every frame of the recursive parser large.
final class FormatProblem: Error {
  /// What is wrong: `unknown operator "CONTAIN"`.
  let sentence: String
  /// The bytes concerned; empty at the end of the text.
  let range: Range<Int>
  /// What would be right: `did you mean CONTAINS?`, or empty.
  let hint: String
  /// What to do about it, or empty.
  let recovery: String

  init(_ sentence: String, _ range: Range<Int>, hint: String = "", recovery: String = "") {
    self.sentence = sentence
    self.range = range
    self.hint = hint
    self.recovery = recovery
  }
}
