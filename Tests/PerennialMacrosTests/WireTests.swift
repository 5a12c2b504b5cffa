// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import PerennialMacros

@Suite struct `The wire` {
  @Test(arguments: [
    (#"{"a":[1,-2,3.5,true,false,null,"x"]}"#, true), (#" {"a" : { } , "b" : [ ] } "#, true),
    (#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#, true), ("", false), ("{", false), ("[1,]", false),
    ("[1 2]", false), (#"{"a"}"#, false), (#"{"a":}"#, false), (#""\x""#, false),
    (#""\u12""#, false), (#""unclosed"#, false), ("tru", false), ("1 1", false), ("-", false),
    (#"{1:2}"#, false), (#"{"a":1,}"#, false),
  ])
  func `JSON is read or refused`(text: String, isValid: Bool) {
    #expect((JSONReader.read(Array(text.utf8)) != nil) == isValid)
  }

  @Test func `written JSON reads back the same`() {
    let value: JSON = [
      "text": "quote \" backslash \\ newline \n tab \t bell \u{7} é 😀 \u{2028}",
      "list": .array([.null, .bool(true), .integer(-5), .number(2.5), .array([])]),
      "empty": .object([]),
    ]
    #expect(JSONReader.read(Array(value.text.utf8)) == value)
  }

  @Test func `escapes become their characters`() {
    let text = #""\ud83d\ude00 \u00e9 \ud800 \ud800\u0041""#
    #expect(JSONReader.read(Array(text.utf8)) == .string("😀 é \u{FFFD} \u{FFFD}A"))
    #expect(JSONReader.read([0x22, 0xFF, 0x22]) == .string("\u{FFFD}"))
  }

  @Test func `deep nesting is refused, not followed`() {
    #expect(JSONReader.read(Array(repeating: UInt8(ascii: "["), count: 1_000_000)) == nil)
    let depth = JSONReader.maximumDepth
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(JSONReader.read(Array(text.utf8)) != nil)
    #expect(JSONReader.read(Array("[\(text)]".utf8)) == nil)
  }

  @Test(arguments: [(7, 7), (3, 3), (100, 7)])
  func `the capability is the smaller version`(asked: Int, answered: Int) {
    let message: JSON = ["getCapability": ["capability": ["protocolVersion": .integer(asked)]]]
    let expected: JSON = [
      "getCapabilityResult": ["capability": ["protocolVersion": .integer(answered)]]
    ]
    #expect(Request.answer(Array(message.text.utf8)) == expected)
  }

  @Test(arguments: ["", "{}", "[]", "{", "{\"later\":{}}", "null", "{\"expandAttachedMacro\":7}"])
  func `every message has an answer`(message: String) {
    #expect(Request.isWellFormed(Request.answer(Array(message.utf8))))
  }

  @Test func `an unknown message is named`() throws {
    let answer = try #require(Request.answer(Array(#"{"futureThing":{}}"#.utf8)))
    #expect(
      answer.text.contains(
        "PerennialMacros does not know protocol message futureThing of this compiler"
      )
    )
  }

  @Test func `messages cross a pipe, cut into pieces`() throws {
    let toPlugin = Pipe()
    let fromPlugin = Pipe()
    let body = Array(#"{"getCapability":{}}"#.utf8)
    let frame = [UInt8(body.count)] + [UInt8](repeating: 0, count: 7) + body
    for byte in frame { toPlugin.fileHandleForWriting.write(Data([byte])) }
    toPlugin.fileHandleForWriting.write(Data(frame + [1, 0, 0]))
    try toPlugin.fileHandleForWriting.close()
    let stream = MessageStream(
      input: toPlugin.fileHandleForReading.fileDescriptor,
      output: fromPlugin.fileHandleForWriting.fileDescriptor
    )
    var server = PluginServer()
    server.run(stream)
    try fromPlugin.fileHandleForWriting.close()
    let output = [UInt8](fromPlugin.fileHandleForReading.readDataToEndOfFile())
    let answer = Array(#"{"getCapabilityResult":{"capability":{"protocolVersion":7}}}"#.utf8)
    let expected = [UInt8(answer.count)] + [UInt8](repeating: 0, count: 7) + answer
    #expect(output == expected + expected)
  }

  @Test func `a length beyond all reason ends the stream with an answer`() throws {
    let toPlugin = Pipe()
    let fromPlugin = Pipe()
    toPlugin.fileHandleForWriting.write(Data([UInt8](repeating: 0xFF, count: 8)))
    let stream = MessageStream(
      input: toPlugin.fileHandleForReading.fileDescriptor,
      output: fromPlugin.fileHandleForWriting.fileDescriptor
    )
    var server = PluginServer()
    server.run(stream)
    try fromPlugin.fileHandleForWriting.close()
    let output = [UInt8](fromPlugin.fileHandleForReading.readDataToEndOfFile())
    #expect(Request.isWellFormed(JSONReader.read(Array(output.dropFirst(8)))))
  }
}
