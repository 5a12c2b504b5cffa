// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// How two strings are compared: the letters in brackets after an operator, `CONTAINS[cd]`.
///
/// Core Data: `NSComparisonPredicate.Options`.
public struct StringComparisonOptions: OptionSet, Sendable, Hashable, Codable {
  /// One bit for each option.
  public let rawValue: UInt8

  /// The options with the given bits.
  ///
  /// - Parameter rawValue: The sum of the options' raw values.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `c`: upper and lower case are equal.
  public static let caseInsensitive = Self(rawValue: 1)
  /// `d`: letters with and without diacritics are equal.
  public static let diacriticInsensitive = Self(rawValue: 2)
  /// `n`: the caller has prepared the strings; their bytes are compared, and `c` and `d` are ignored.
  public static let normalized = Self(rawValue: 4)
  /// `l`: the strings are compared by the rules of the current locale.
  public static let localized = Self(rawValue: 8)
  /// `w`: full-width and half-width forms are equal.
  public static let widthInsensitive = Self(rawValue: 16)

  /// The options' letters, in the order in which they are printed.
  static let letters: [(letter: UInt8, option: Self)] = [
    (UInt8(ascii: "c"), .caseInsensitive), (UInt8(ascii: "d"), .diacriticInsensitive),
    (UInt8(ascii: "n"), .normalized), (UInt8(ascii: "l"), .localized),
    (UInt8(ascii: "w"), .widthInsensitive),
  ]

  /// The options that change an answer: none when the strings are normalized.
  package var effective: Self { contains(.normalized) ? [] : self }
}
