// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
import Synchronization

/// A regular expression that must match a whole text; a dot matches line ends too.
///
/// Core Data: `MATCHES`, whose patterns are those of ICU. Its time is bounded: of some patterns, `(a+)+b`
/// for one, every further character of a text can double it.
package struct PatternMatcher: Sendable {
  private let expression: NSRegularExpression
  private let options: StringComparisonOptions

  /// A pattern by its bytes: canonically equal ones match different texts.
  private struct Key: Hashable {
    let pattern: String
    let options: StringComparisonOptions

    static func == (left: Key, right: Key) -> Bool {
      left.options == right.options && left.pattern.utf8.elementsEqual(right.pattern.utf8)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(options)
      var text = pattern
      // Safe because the bytes are read within the call only.
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  /// How long one text may take.
  private static let timeLimit = Duration.milliseconds(250)
  private static let capacity = 64
  private static let cache = Mutex<[Key: PatternMatcher]>([:])

  /// The matcher of a pattern, from a cache.
  ///
  /// - Throws: ``PerennialError`` with code `predicateEvaluation` for a wrong pattern.
  package static func matcher(
    for pattern: String,
    _ options: StringComparisonOptions = []
  ) throws(PerennialError) -> PatternMatcher {
    let key = Key(pattern: pattern, options: options.effective)
    if let matcher = cache.withLock({ $0[key] }) { return matcher }
    let matcher = try PatternMatcher(pattern, key.options)
    cache.withLock { cache in
      if cache.count >= capacity { cache.removeAll() }
      cache[key] = matcher
    }
    return matcher
  }

  private init(_ pattern: String, _ options: StringComparisonOptions) throws(PerennialError) {
    self.options = options.subtracting(.caseInsensitive)
    let text = self.options.isEmpty ? pattern : TextMatcher.fold(pattern, self.options)
    var settings: NSRegularExpression.Options = .dotMatchesLineSeparators
    if options.contains(.caseInsensitive) { settings.insert(.caseInsensitive) }
    do {
      // Compiled alone first: the group must not repair an unbalanced pattern.
      let alone = try NSRegularExpression(pattern: text, options: settings)
      // A line end closes a comment of `(?x)`, which would swallow the end of the group.
      expression = Self.whole(text, settings) ?? Self.whole(text + "\n", settings) ?? alone
    } catch {
      throw EvaluationError.invalidPattern
    }
  }

  /// A pattern that must match a whole text; `nil` when its group is not closed where it should be.
  private static func whole(
    _ pattern: String,
    _ settings: NSRegularExpression.Options
  ) -> NSRegularExpression? {
    try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: settings)
  }

  /// Whether a whole text matches.
  ///
  /// - Throws: `predicateEvaluation` (200002) when that takes more than a quarter of a second, or
  ///   more memory than ICU has for it.
  package func matches(_ text: String) throws(PerennialError) -> Bool {
    let text = options.isEmpty ? text : TextMatcher.fold(text, options)
    let range = NSRange(location: 0, length: text.utf16.count)
    let end = ContinuousClock.now + Self.timeLimit
    var isMatch = false
    var isLate = false
    var hasFailed = false
    expression.enumerateMatches(
      in: text,
      options: [.anchored, .reportProgress, .reportCompletion],
      range: range
    ) { match, flags, stop in
      if let match {
        isMatch = match.range == range
        stop.pointee = true
      } else if flags.contains(.internalError) {
        hasFailed = true
      } else if !flags.contains(.completed), ContinuousClock.now > end {
        isLate = true
        stop.pointee = true
      }
    }
    if hasFailed { throw EvaluationError.hungryPattern }
    if isLate { throw EvaluationError.slowPattern(Self.timeLimit) }
    return isMatch
  }
}
