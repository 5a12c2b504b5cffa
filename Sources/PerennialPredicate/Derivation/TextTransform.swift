// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a derived attribute does with a text that it copies.
package enum TextTransform: String, CaseIterable, Sendable {
  /// Without regard to case and diacritics.
  case canonical = "canonical:"
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"

  /// The text as the transformation gives it, the same in every locale.
  package func apply(to text: String) -> String {
    switch self {
    case .canonical: TextMatcher.fold(text, [.caseInsensitive, .diacriticInsensitive])
    case .uppercase: text.uppercased()
    case .lowercase: text.lowercased()
    }
  }
}
