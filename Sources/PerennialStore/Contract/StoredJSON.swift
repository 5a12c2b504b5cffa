// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

// JSON in stores: equal values have equal bytes, and doubles that JSON has not are texts.

/// The texts that stand for doubles that JSON has not.
package enum NumberNames: String {
  /// `inf`, `-inf` and `nan`, where a text cannot stand for anything else.
  case plain = ""
  /// The same behind a character of private use, for types of a program's own: they may try to read a
  /// double first, and then a text.
  case marked = "\u{10FFFD}"

  fileprivate var infinity: String { rawValue + "inf" }
  fileprivate var negativeInfinity: String { rawValue + "-inf" }
  fileprivate var nan: String { rawValue + "nan" }
}

extension JSONEncoder {
  /// An encoder of what a store keeps as JSON.
  package static func forStores(_ names: NumberNames) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: names.infinity,
      negativeInfinity: names.negativeInfinity,
      nan: names.nan
    )
    return encoder
  }
}

extension JSONDecoder {
  /// A decoder of what a store keeps as JSON.
  package static func forStores(_ names: NumberNames) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: names.infinity,
      negativeInfinity: names.negativeInfinity,
      nan: names.nan
    )
    return decoder
  }
}
