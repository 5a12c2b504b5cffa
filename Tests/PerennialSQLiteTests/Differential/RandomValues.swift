// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import RandomTesting
import ServerTesting

/// Values for attributes and constants: usual ones, and those where engines go wrong.
enum RandomValues {
  static let texts = [
    "", "a", "A", "ab", "aB", "abc", "Abc", "é", "e\u{301}", "É", "ß", "ss", "SS", "İ", "i", "I",
    "ı", "i\u{307}", "ſ", "s", "\u{212A}", "k", "K", "😀", "👨‍👩‍👧", "a\0b", "\0", "a*b", "a?b",
    "a\\b", "%", "_", "a_b", "ﬁ", "Ａ", "Σ", "ς", "σ", "\u{10FFFF}", "日本", "a\nb",
    "o\u{308}\u{304}", "ö", "Zoë", "12", "-1.5", "nil", "'", "\"", "[a]", "ǆ", "ǅ", "\u{D7FF}",
    "\u{E000}", "ab ab", "aab", "ñandú", "n\u{303}andu\u{301}", "x", "xylophone and more text",
    "Straße nach STRASSE", "İstanbul istanbul", "ſtraſſe", "\u{212A}elvin kelvin", "a\0bc\0def",
    "Fix the FIX and fixes", "naïve NAI\u{308}VE", "ΣΊΣΥΦΟΣ σίσυφος", "100% _ 'quoted' \"text\"",
  ]
  static let integers: [Int64] = [
    .min, .min + 1, -32_768, -5, -2, -1, 0, 1, 2, 3, 5, 7, 10, 32_767, 2_147_483_647,
    9_007_199_254_740_992, 9_007_199_254_740_993, .max - 1, .max,
  ]
  static let doubles: [Double] = [
    -.infinity, -1e300, -3.25, -1, -0.5, -0.0, 0, 0.1, 0.5, 1, 1.5, 2, 3, 10, 100.25, 1e-300,
    9_007_199_254_740_992, 9.223372036854775e18, 9.223372036854776e18, 1e300, .infinity,
  ]
  static let decimals: [Decimal] = [
    -3, Decimal(sign: .minus, exponent: -1, significand: 5), 0, 1, 2,
    Decimal(sign: .plus, exponent: -1, significand: 1),
    Decimal(sign: .plus, exponent: -2, significand: 1_999),
    Decimal(sign: .plus, exponent: -5, significand: 123_456_789_012_345),
    999_999_999_999_999, Decimal(sign: .plus, exponent: 20, significand: 1), 10,
    9_007_199_254_740_993,
    Decimal(sign: .plus, exponent: -10, significand: 3),
    // SQLite 3.40 makes other doubles of their texts than the nearest ones.
    Decimal(sign: .plus, exponent: -6, significand: 2_877),
    Decimal(sign: .plus, exponent: -6, significand: 5_326_349),
  ]
  static let dates: [Double] = [-1e9, -0.5, 0, 0.5, 1, 86_400, 475_000_000.125, 700_000_000]
  static let blobs: [Data] = [Data(), Data([0]), Data([1, 2]), Data([1, 2, 3]), Data([255, 0])]
  static let urls = ["https://e.org/1", "https://e.org/2", "HTTPS://e.org/1", "file:///x%20y", "a"]

  static func value(of type: AttributeType, using random: inout SeededGenerator) -> PropertyValue {
    func one<Element>(_ values: [Element]) -> Element { values[random.chance(values.count)] }
    switch type {
    case .int16: return .integer(one([-32_768, -2, -1, 0, 1, 2, 3, 5, 32_767]))
    case .int32: return .integer(one([-2_147_483_648, -1, 0, 1, 2, 3, 10, 2_147_483_647]))
    case .int64: return .integer(one(integers))
    case .bool: return .boolean(random.chance(2) == 0)
    case .double: return .double(one(doubles))
    case .float: return .double(one([-.infinity, -1.5, -0.0, 0, 0.5, 1, 2, 16_777_216, .infinity]))
    case .decimal: return .decimal(one(decimals))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: one(dates)))
    case .binaryData: return .data(one(blobs))
    case .uuid: return .uuid(PredicateTwins.uuid(random.chance(4)))
    case .url: return URL(string: one(urls)).map { .url($0) } ?? .null
    default:
      let text = one(texts)
      return .string(ServerSchema.isWanted ? text.replacing("\0", with: "\u{1}") : text)
    }
  }
}
