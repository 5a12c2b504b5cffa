// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialModelFiles
import Testing

@Suite struct `Texts that no model file can hold` {
  private func document(default text: String, note: String = "") throws -> ModelDocument {
    var letter = EntityDescription(
      "Letter",
      properties: [.attribute("text", .string, default: text)]
    )
    if !note.isEmpty { letter.userInfo["note"] = note }
    return ModelDocument(try ManagedObjectModel(letter), named: "Post")
  }

  // XML 1.0, production 2 (Char): nothing else may stand in a document, not even as a reference.
  @Test(arguments: ["\u{0}", "\u{1}", "\u{8}", "\u{B}", "\u{C}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"])
  func `a default value with a character that is not XML's is an error that names it`(
    character: String
  ) throws {
    let document = try document(default: "a\(character)b")
    let error = try #require(throws: PerennialError.self) { try document.contents }
    #expect(error.code == .invalidModel)
    let value = try #require(character.unicodeScalars.first).value
    let digits = String(value, radix: 16, uppercase: true)
    #expect(error.message.contains("U+" + String(repeating: "0", count: 4 - digits.count) + digits))
    #expect(error.message.contains("'defaultValueString' of the attribute 'text'"))
    #expect(!error.message.contains("a\(character)b"))
  }

  @Test func `so is a note of the user's`() throws {
    let document = try document(default: "", note: "bell \u{7}")
    let error = try #require(throws: PerennialError.self) { try document.contents }
    #expect(error.message.contains("'value' of the entry"))
  }

  @Test(arguments: [
    "\t\n\r", " \u{7F}\u{85}\u{A0}", "\u{D7FF}\u{E000}\u{FFFD}", "\u{10000}\u{10FFFF}",
  ])
  func `other unusual characters are read as they were written`(text: String) throws {
    let document = try document(default: text)
    #expect(try ModelDocument(document.contents).model == document.model)
  }
}
