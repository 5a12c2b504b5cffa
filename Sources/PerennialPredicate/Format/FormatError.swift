// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Why a predicate could not be made, ready to be shown: the sentence, the line and a caret.
///
/// ```
/// unknown operator "CONTAIN" at column 9, did you mean CONTAINS?
///   message CONTAIN[c] 'fix'
///           ^~~~~~~
/// ```
struct FormatError: Error, Sendable, Hashable {
  /// The sentence, and the place when there is one, on up to three lines.
  let message: String
  /// What to do about it, or empty.
  let recovery: String

  init(_ message: String, recovery: String = "") {
    self.message = message
    self.recovery = recovery
  }

  /// A problem in a text.
  init(_ problem: FormatProblem, in text: [UInt8]) {
    let excerpt = FormatExcerpt(of: problem.range, in: text)
    var sentence = "\(problem.sentence) at \(excerpt.position)"
    if !problem.hint.isEmpty { sentence += ", " + problem.hint }
    message = "\(sentence)\n  \(excerpt.line)\n  \(excerpt.marks)"
    recovery = problem.recovery
  }

  /// The error as users see it.
  var perennialError: PerennialError {
    PerennialError(.predicateFormat, message, recovery: recovery)
  }

  /// A tree with more levels than are allowed.
  static let tooDeep = FormatError(
    "the predicate is nested more than \(maximumPredicateDepth) levels deep",
    recovery: "combine the conditions with fewer parentheses, or use IN with a list."
  )

  /// A text with more bytes than are allowed.
  static let tooLong = FormatError(
    "the predicate is longer than \(PredicateLimits.byteCount) bytes",
    recovery: "pass long lists as arguments, or split the request."
  )

  /// A list with more values than are allowed.
  static let tooManyValues = FormatError(
    "a list has more than \(PredicateLimits.listCount) values",
    recovery: "split the request, or give the objects an attribute to ask for."
  )
}

/// How large a predicate may be: documented with the error 200001.
enum PredicateLimits {
  /// The greatest number of bytes of a text.
  static let byteCount = 4_194_304
  /// The greatest number of values in one list.
  static let listCount = 1_000_000
}
