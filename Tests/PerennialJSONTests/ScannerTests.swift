// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialJSON

/// RFC 8259, and the texts of decimal numbers: what people write by hand.
///
/// Safe because bytes are used within the calls that lend them.
@Suite("JSON that is edited by hand")
struct ScannerTests {
  private func scanned<Value>(
    _ text: String,
    _ body: (inout JSONScanner) throws -> Value
  ) throws -> Value {
    try Array(text.utf8).withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      let value = try body(&scanner)
      try scanner.expectEnd()
      return value
    }
  }

  @Test(arguments: [
    (#""\b\f\n\r\t\/\\\"""#, "\u{8}\u{C}\n\r\t/\\\""), (#""\u00e9\uD83D\uDE00""#, "é😀"),
    (#""a\u0000b""#, "a\u{0}b"), (#""""#, ""), ("\"é\"", "é"),
  ])
  func `a text has escapes`(_ text: String, _ value: String) throws {
    #expect(try scanned(text) { try $0.string() } == value)
  }

  @Test(arguments: [
    (#""\"#, "does not end"), (#""\n"#, "does not end"), (#""a"#, "does not end"),
    (#""\v""#, "unknown escape"), ("\"\\n\u{1}\"", "control character"),
    (#""\uD83D\u0041""#, "half a character"), (#""\uDE00""#, "half a character"),
    (#""\uD83D""#, "half a character"), (#""\u12G4""#, "four digits"),
    (#""a" b"#, "follows the end"),
  ])
  func `a text that is none is refused`(_ text: String, _ words: String) {
    let fault = #expect(throws: JSONFault.self) { try scanned(text) { try $0.string() } }
    #expect(fault?.message.contains(words) == true, "\(fault?.message ?? "")")
  }

  @Test(arguments: [
    ("0", 0.0), ("-0.5", -0.5), ("12.25", 12.25), ("1e3", 1000), ("1E+2", 100), ("2.5e-1", 0.25),
    ("123456789012345680", 123_456_789_012_345_680), ("-7", -7),
  ])
  func `a number is read as the nearest one`(_ text: String, _ value: Double) throws {
    #expect(try scanned(text) { try $0.double() } == value)
  }

  @Test(arguments: [
    "", "-", "01", "-01", "1.", ".5", "1e", "1e+", "1.e3", "+1", "0x1", "1-1", "--1",
  ])
  func `a number that is none is refused`(_ text: String) {
    #expect(throws: JSONFault.self) { try scanned(text) { try $0.double() } }
    #expect(!Array(text.utf8).withUnsafeBytes { JSONNumber.isValid($0) })
  }

  @Test(arguments: [#"{}"#, #"{"a":{"b":"}"},"c":"{"}"#])
  func `an object is taken whole, whatever its texts have`(_ text: String) throws {
    #expect(try scanned(text) { try $0.wholeObject() } == text)
  }

  @Test(arguments: ["{", #"{"a":{}"#, #"{"a"#, "[]", ""])
  func `an object that does not end is refused`(_ text: String) {
    #expect(throws: JSONFault.self) { try scanned(text) { try $0.wholeObject() } }
  }

  // MARK: Decimal numbers

  private func isUsual(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { DecimalText.isUsual($0) }
  }

  @Test(arguments: [
    "0", "5", "-5", "10", "12.5", "-0.5", "0.05", "12345678901234567890123456789.12345678",
  ])
  func `a decimal number that is written as usual is left as it is`(_ text: String) throws {
    #expect(isUsual(text))
    // What Foundation makes of it is the same text, so that equal numbers have equal texts.
    let number = try #require(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")))
    #expect("\(number)" == text)
    #expect(DecimalText.usual(text) == Array(text.utf8))
  }

  @Test(arguments: [
    ("-0", "0"), ("05", "5"), ("1.50", "1.5"), ("1e3", "1000"), ("+1", "1"), ("-05.10", "-5.1"),
    ("1E-2", "0.01"), ("0.0", "0"), ("1.", "1"), ("00", "0"),
  ])
  func `a decimal number that is written otherwise gets the usual text`(
    _ text: String,
    _ usual: String
  ) {
    #expect(!isUsual(text))
    #expect(DecimalText.usual(text).map { String(decoding: $0, as: UTF8.self) } == usual)
  }

  @Test(arguments: [
    "", "-", "abc", "1 2", "1,5", "NaNa", "Infinity", "0x10", "1.2.3", "1-2", "1e", "e1", "--1",
    ".", "1e2e3",
  ])
  func `what is no decimal number is told`(_ text: String) {
    #expect(!isUsual(text))
    #expect(DecimalText.usual(text) == nil)
  }

  @Test(.timeLimit(.minutes(10)))
  func `many digits that are no number take no longer than they are`() {
    #expect(DecimalText.usual(String(repeating: "1", count: 100_000) + "x") == nil)
  }

  @Test func `no number is a decimal number too, and many digits are looked at closely`() {
    #expect(DecimalText.usual("NaN") == Array("NaN".utf8))
    #expect(!isUsual(String(repeating: "9", count: 39)) && !isUsual("1.2.3"))
  }
}
