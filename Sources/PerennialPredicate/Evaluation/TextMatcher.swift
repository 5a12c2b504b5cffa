// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The string operators on UTF-8 bytes, shared by evaluation in memory and by SQL functions.
///
/// Without options bytes are compared. Case and diacritics of ASCII text are handled without making
/// a `String`; other text is folded by Foundation first. NUL is an ordinary character.
///
/// Safe because buffers are read only during the call, and their length is respected.
package enum TextMatcher {
  /// Calls a function with the bytes of two strings.
  static func withUTF8<Result>(
    _ first: String,
    _ second: String,
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    var first = first
    var second = second
    return first.withUTF8 { first in second.withUTF8 { second in body(first, second) } }
  }

  /// Whether two texts are equal.
  package static func isEqual(
    _ first: UnsafeBufferPointer<UInt8>,
    _ second: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions = []
  ) -> Bool {
    if options.effective.contains(.localized) {
      return localizedOrder(first, second, options) == 0
    }
    return folded(first, second, options) { $0.isEqual($1) }
  }

  /// How two texts are ordered: negative, zero or positive.
  package static func order(
    _ first: UnsafeBufferPointer<UInt8>,
    _ second: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions = []
  ) -> Int {
    if options.effective.contains(.localized) {
      return localizedOrder(first, second, options)
    }
    return folded(first, second, options) { $0.order($1) }
  }

  /// Whether a text contains a part; an empty part is never contained.
  package static func contains(
    _ text: UnsafeBufferPointer<UInt8>,
    _ part: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions = []
  ) -> Bool {
    guard !part.isEmpty else { return false }
    if options.effective.contains(.localized) {
      return hasLocalizedRange(of: part, in: text, options, [])
    }
    return folded(text, part, options) { $0.contains($1) }
  }

  /// Whether a text starts with a part; an empty part starts nothing.
  package static func hasPrefix(
    _ text: UnsafeBufferPointer<UInt8>,
    _ part: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions = []
  ) -> Bool {
    guard !part.isEmpty else { return false }
    if options.effective.contains(.localized) {
      return hasLocalizedRange(of: part, in: text, options, .anchored)
    }
    return folded(text, part, options) { $0.hasPrefix($1) }
  }

  /// Whether a text ends with a part; an empty part ends nothing.
  package static func hasSuffix(
    _ text: UnsafeBufferPointer<UInt8>,
    _ part: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions = []
  ) -> Bool {
    guard !part.isEmpty else { return false }
    if options.effective.contains(.localized) {
      return hasLocalizedRange(of: part, in: text, options, [.anchored, .backwards])
    }
    return folded(text, part, options) { $0.hasSuffix($1) }
  }
}

extension TextMatcher {
  // MARK: Folding

  /// Calls a function with both texts in a form in which bytes decide.
  private static func folded<Result>(
    _ first: UnsafeBufferPointer<UInt8>,
    _ second: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions,
    _ body: (FoldedBytes, FoldedBytes) -> Result
  ) -> Result {
    let options = options.effective
    if options.isEmpty || (isASCII(first) && isASCII(second)) {
      let foldsCase = options.contains(.caseInsensitive)
      return body(
        FoldedBytes(bytes: first, foldsCase: foldsCase),
        FoldedBytes(bytes: second, foldsCase: foldsCase)
      )
    }
    return withUTF8(fold(first, options), fold(second, options)) { first, second in
      body(
        FoldedBytes(bytes: first, foldsCase: false),
        FoldedBytes(bytes: second, foldsCase: false)
      )
    }
  }

  private static func fold(
    _ text: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions
  ) -> String {
    fold(String(decoding: text, as: UTF8.self), options)
  }

  /// The text in a form in which bytes decide under the options.
  package static func fold(_ text: String, _ options: StringComparisonOptions) -> String {
    let options = options.effective
    let locale = options.contains(.localized) ? Locale.current : nil
    return text.folding(options: options.foundation, locale: locale)
  }

  static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // Eight bytes at a time.
    let words = bytes.count / 8
    let start = UnsafeRawBufferPointer(bytes)
    var seen: UInt64 = 0
    for word in 0..<words {
      seen |= start.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
    }
    return seen & 0x8080_8080_8080_8080 == 0
      && bytes[(words * 8)...].allSatisfy { $0 < 0x80 }
  }

  // MARK: Locales

  private static func localizedOrder(
    _ first: UnsafeBufferPointer<UInt8>,
    _ second: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions
  ) -> Int {
    String(decoding: first, as: UTF8.self).compare(
      String(decoding: second, as: UTF8.self),
      options: options.foundation,
      range: nil,
      locale: .current
    ).rawValue
  }

  private static func hasLocalizedRange(
    of part: UnsafeBufferPointer<UInt8>,
    in text: UnsafeBufferPointer<UInt8>,
    _ options: StringComparisonOptions,
    _ placement: String.CompareOptions
  ) -> Bool {
    String(decoding: text, as: UTF8.self).range(
      of: String(decoding: part, as: UTF8.self),
      options: options.foundation.union(placement),
      range: nil,
      locale: .current
    ) != nil
  }
}

extension StringComparisonOptions {
  /// Foundation's options of the same meaning.
  var foundation: String.CompareOptions {
    var options: String.CompareOptions = []
    if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
    if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
    if contains(.widthInsensitive) { options.insert(.widthInsensitive) }
    return options
  }
}
