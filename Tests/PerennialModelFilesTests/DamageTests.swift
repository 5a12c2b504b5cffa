// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles
import Testing

@Suite("Model files that are none, or damaged")
struct DamageTests {
  private func error(_ data: Data) throws -> PerennialError {
    try #require(throws: PerennialError.self) { try ModelDocument(data, named: "Test") }
  }

  @Test func `a file that is cut off anywhere is an error, or the same model`() throws {
    let whole = modelFile(
      "<entity name=\"Thing\"><attribute name=\"a\" attributeType=\"Date\"/></entity>"
    )
    let model = try ModelDocument(whole).model
    for count in 0..<whole.count {
      do {
        let document = try ModelDocument(whole.prefix(count))
        #expect(document.model == model)
      } catch {
        #expect(error.code == .invalidModel)
      }
    }
  }

  @Test func `a file with a document type is refused before it is read`() throws {
    let bomb = """
      <?xml version="1.0"?>
      <!DOCTYPE model [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
      <model><entity name="&b;"/></model>
      """
    #expect(try error(Data(bomb.utf8)).message.contains("document type"))
  }

  @Test func `bytes that are no UTF-8 are refused wherever they stand`() throws {
    let whole = modelFile("<entity name=\"Thing\"><attribute name=\"a\"/></entity>")
    for place in stride(from: 0, to: whole.count, by: 7) {
      for byte: UInt8 in [0x00, 0x80, 0xC3, 0xFF] {
        var damaged = whole
        damaged[place] = byte
        #expect(try error(damaged).message.contains("not in UTF-8"))
      }
    }
  }

  @Test func `other encodings are refused, whether they are named or not`() throws {
    let text = "<!DOCTYPE model><model><entity name=\"Thing\"/></model>"
    for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32] {
      let data = try #require(text.data(using: encoding))
      #expect(try error(data).message.contains("not in UTF-8"))
    }
    for encoding in ["UTF-16", "UTF-7", "ISO-8859-1"] {
      let text = "<?xml version='1.0'\n  encoding = '\(encoding)'?><model/>"
      #expect(try error(Data(text.utf8)).message.contains("'\(encoding)', not in UTF-8"))
    }
  }

  @Test(arguments: [
    "", "<?xml version='1.0'?>", "<?xml version='1.0' encoding='utf-8'?>", "\u{FEFF}",
    "\u{FEFF}<?xml version='1.0'?>",
  ])
  func `UTF-8 is read, named or not`(_ declaration: String) throws {
    let text = declaration + "<model><entity name=\"Größe\"/></model>"
    #expect(try ModelDocument(Data(text.utf8)).model.entities.map(\.name) == ["Größe"])
  }

  @Test func `a file of many levels is refused`() throws {
    let deep = String(repeating: "<a>", count: 100_000)
    #expect(try error(modelFile(deep)).message.contains("deep"))
  }

  @Test(arguments: ["<?x?>", "<?x y?>", "<!-- --><?x?>"])
  func `a processing instruction is refused before it is read`(_ text: String) throws {
    #expect(try error(modelFile(text)).message.contains("processing instruction"))
    #expect(try error(Data((text + "<model/>").utf8)).message.contains("processing instruction"))
  }

  @Test(.timeLimit(.minutes(10)))
  func `a declaration without end is refused before anything is looked for in it`() throws {
    let many = String(repeating: "<?xml ", count: 20_000) + "?><model/>"
    #expect(try error(Data(many.utf8)).message.contains("processing instruction"))
    let long = "<?xml version='1.0'" + String(repeating: " ", count: 1_000) + "?><model/>"
    #expect(try error(Data(long.utf8)).message.contains("does not end"))
  }

  @Test func `compiled models are refused with what to do`() throws {
    let error = try error(Data("bplist00".utf8))
    #expect(error.message.contains("compiled"))
    #expect(error.recovery.contains(".xcdatamodeld"))
  }

  @Test func `another XML file is no model`() throws {
    #expect(try error(Data("<plist/>".utf8)).message.contains("'plist'"))
  }

  @Test(
    arguments: [
      ("<entity/>", "without a name"), ("<entity name=\"\"/>", "without a name"),
      ("<entity name=\"A\"><attribute attributeType=\"Date\"/></entity>", "without a name"),
      ("<entity name=\"A\"><attribute name=\"a\" attributeType=\"Time\"/></entity>", "'Time'"),
      ("<entity name=\"A\"><relationship name=\"r\"/></entity>", "where it leads to"),
      (
        "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"B\"/></entity>", "'B'"
      ),
      (
        """
        <entity name="A">
        <relationship name="r" destinationEntity="A" inverseName="s" inverseEntity="A"/>
        </entity>
        """, "'A.s'"
      ),
      ("<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/>", "itself"),
      ("<entity name=\"A\" parentEntity=\"C\"/>", "'C'"),
      ("<entity name=\"A\"/><entity name=\"A\"/>", "'A'"),
      ("<entity name=\"Abc\"/><entity name=\"aBC\"/>", "case"),
      ("<entity name=\"A B\"/>", "'A B'"), ("<entity name=\"7a\"/>", "'7a'"),
      (
        """
        <entity name="A"><attribute name="a" attributeType="Date"/>
        <attribute name="a" attributeType="Date"/></entity>
        """, "two properties"
      ),
      ("<fetchRequest name=\"f\"/><entity name=\"A\"/>", "what it fetches"),
    ]
  )
  func `what no model can be says where and why`(_ elements: String, _ words: String) throws {
    let error = try error(modelFile(elements))
    let texts = [error.message] + error.problems.map(\.message)
    #expect(error.code == .invalidModel || error.code == .multipleErrors)
    #expect(texts.contains { $0.contains(words) }, "\(texts)")
  }

  @Test func `unknown elements and attributes are told with their line, and left out`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Thing" colour="red">
          <attribute name="a" attributeType="Date" taste="sweet"/>
          <gadget/>
        </entity>
        <ornament/>
        """
      )
    )
    #expect(document.diagnostics.map(\.line) == [2, 3, 3, 4])
    #expect(document.diagnostics[1].description.contains("'colour'"))
    #expect(document.model.entities.count == 1)
  }

  @Test func `ten thousand entities are read`() throws {
    let entities = (0..<10_000).map {
      "<entity name=\"E\($0)\"><attribute name=\"a\" attributeType=\"Date\"/></entity>"
    }
    let document = try ModelDocument(modelFile(entities.joined()))
    #expect(document.model.entities.count == 10_000)
  }
}
