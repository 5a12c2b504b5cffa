// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The pattern of `LIKE`, taken apart: many need no matching at all.
package struct LikePattern: Sendable {
  enum Shape: Equatable, Sendable {
    /// No wildcard: the text itself.
    case exactly(String)
    /// `*`: any text.
    case anything
    /// `text*`.
    case prefix(String)
    /// `*text*`.
    case part(String)
    /// Anything else.
    case other
  }

  /// The texts around the wildcards, in order; empty between two of them.
  package let pieces: [String]
  let shape: Shape

  /// Takes a pattern apart.
  package init(_ pattern: String) {
    var literals: [String.UnicodeScalarView] = [String.UnicodeScalarView()]
    var wildcards: [Unicode.Scalar] = []
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        literals[literals.count - 1].append(scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "*" || scalar == "?" {
        wildcards.append(scalar)
        literals.append(String.UnicodeScalarView())
      } else {
        literals[literals.count - 1].append(scalar)
      }
    }
    // A backslash at the very end is an ordinary character.
    if isEscaped { literals[literals.count - 1].append("\\") }
    pieces = literals.map { String($0) }
    shape = Self.shape(pieces, String(String.UnicodeScalarView(wildcards)))
  }

  /// The text before the first wildcard.
  var prefix: String { pieces[0] }

  private static func shape(_ texts: [String], _ wildcards: String) -> Shape {
    switch wildcards {
    case "": .exactly(texts[0])
    case "*" where texts == ["", ""]: .anything
    case "*" where texts[1].isEmpty: .prefix(texts[0])
    case "**" where texts[0].isEmpty && texts[2].isEmpty && !texts[1].isEmpty: .part(texts[1])
    default: .other
    }
  }

  /// The least text behind all texts that start with a prefix, by Unicode scalars; `nil` when
  /// there is none.
  static func successor(of prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      // Behind U+D7FF come the surrogates, which are no scalars.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      scalars.append(scalar)
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return String(text)
    }
    return nil
  }
}
