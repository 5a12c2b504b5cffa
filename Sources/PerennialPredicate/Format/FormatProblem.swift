// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What the lexer or parser cannot accept, and where.
struct FormatProblem: Error {
  /// What is wrong: `unknown operator "CONTAIN"`.
  var sentence: String
  /// The bytes concerned; empty at the end of the text.
  var range: Range<Int>
  /// What would be right: `did you mean CONTAINS?`, or empty.
  var hint: String
  /// What to do about it, or empty.
  var recovery: String

  init(_ sentence: String, _ range: Range<Int>, hint: String = "", recovery: String = "") {
    self.sentence = sentence
    self.range = range
    self.hint = hint
    self.recovery = recovery
  }
}
