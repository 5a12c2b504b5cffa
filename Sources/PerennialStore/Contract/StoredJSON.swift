// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation

// JSON in stores: equal values have equal bytes, and doubles that JSON has not are texts.

private let infinity = "inf"
private let negativeInfinity = "-inf"
private let nan = "nan"

extension JSONEncoder {
  /// An encoder of what a store keeps as JSON.
  package static func forStores() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: infinity,
      negativeInfinity: negativeInfinity,
      nan: nan
    )
    return encoder
  }
}

extension JSONDecoder {
  /// A decoder of what a store keeps as JSON.
  package static func forStores() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: infinity,
      negativeInfinity: negativeInfinity,
      nan: nan
    )
    return decoder
  }
}
