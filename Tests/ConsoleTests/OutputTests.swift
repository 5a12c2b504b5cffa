// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import Testing

@Suite struct `Writing` {
  @Test func `text is gathered until it is flushed`() throws {
    let pipe = OutputPipe()
    let writer = pipe.writer()
    try writer.writeLine("one")
    try writer.write("two")
    try writer.flush()
    try writer.writeLine("never flushed")
    #expect(try pipe.text() == "one\ntwo")
  }

  @Test func `a writer without capacity writes at once`() throws {
    let pipe = OutputPipe()
    try pipe.writer(capacity: 0).write("now")
    #expect(try pipe.text() == "now")
  }

  @Test func `a reader that went away is an error, not a signal`() throws {
    FileWriter.ignoreBrokenPipeSignals()
    let pipe = OutputPipe()
    try pipe.closeReader()
    let writer = pipe.writer()
    try writer.write("x")
    #expect(throws: FileWriter.BrokenPipe.self) { try writer.flush() }
    try writer.flush()
  }

  @Test func `a full disk is reported`() throws {
    let handle = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let writer = FileWriter(descriptor: handle.fileDescriptor)
    try writer.write("x")
    let failure = try #require(throws: CommandFailure.self) { try writer.flush() }
    #expect(failure.message == "the output cannot be written: No space left on device")
  }
}

@Suite struct `JSON` {
  @Test func `values are written in their order`() {
    let value: JSONValue = [
      "b": .integer(-1), "a": .array([.null, .bool(true), .number(0.5)]), "c": [:],
    ]
    #expect(value.text == #"{"b": -1, "a": [null, true, 0.5], "c": {}}"#)
  }

  @Test(arguments: [
    ("plain é 🎉", #""plain é 🎉""#),
    (#"say "hi" \o/"#, #""say \"hi\" \\o/""#),
    ("a\nb\r\tc", #""a\nb\r\tc""#),
    ("\0\u{1B}[2J\u{7F}\u{9B}", #""\u0000\u001b[2J\u007f\u009b""#),
    ("\u{202E}\u{2028}", #""\u202e\u2028""#),
  ])
  func `texts are quoted and escaped`(raw: String, json: String) {
    #expect(JSONValue.string(raw).text == json)
  }

  @Test func `a JSON reader gets every character back`() throws {
    let all = String(String.UnicodeScalarView((0...0x3000).compactMap(Unicode.Scalar.init)))
    let data = Data(JSONValue.array([.string(all)]).text.utf8)
    #expect(try JSONDecoder().decode([String].self, from: data) == [all])
  }

  @Test func `numbers that JSON lacks are null`() {
    #expect(JSONValue.array([.number(.nan), .number(.infinity)]).text == "[null, null]")
  }

  @Test func `dates are texts in UTC`() {
    let date = Date(timeIntervalSince1970: 1_453_837_578)
    #expect(JSONValue.date(date).text == #""2016-01-26T19:46:18Z""#)
  }

  @Test(arguments: [(0, "[]\n"), (1, "[\n0\n]\n"), (3, "[\n0,\n1,\n2\n]\n")])
  func `an array is written element by element`(count: Int, text: String) throws {
    let pipe = OutputPipe()
    let writer = pipe.writer()
    var array = JSONArrayWriter(writer)
    for number in 0..<count { try array.append(.integer(number)) }
    try array.finish()
    try writer.flush()
    #expect(try pipe.text() == text)
  }
}

@Suite struct `Running a program` {
  struct Trouble: Error {}

  struct Ending: Equatable {
    let status: ExitCode
    let output: String
    let notes: String

    init(_ status: ExitCode, _ output: String, _ notes: String) {
      self.status = status
      self.output = output
      self.notes = notes
    }
  }

  /// What a program with some behaviour wrote and returned.
  func ending(
    of arguments: [String],
    body: (ParsedArguments, Terminal) async throws -> Void = { _, _ in }
  ) async throws -> Ending {
    let output = OutputPipe()
    let notes = OutputPipe()
    let terminal = Terminal(output: output.writer(), notes: notes.writer(capacity: 0))
    let program = ConsoleProgram(SampleTool.tool, color: SampleTool.color) { error in
      error is Trouble ? CommandFailure("trouble", advice: "Wait.", status: .tryLater) : nil
    }
    let status = await program.run(arguments, terminal: terminal, body: body)
    return Ending(status, try output.text(), try notes.text())
  }

  @Test func `data goes to the output and is flushed`() async throws {
    let result = try await ending(of: ["list"]) { try $1.output.write($0.command) }
    #expect(result == Ending(.success, "list", ""))
  }

  @Test func `help is data`() async throws {
    let result = try await ending(of: ["--help"])
    #expect(result.status == .success)
    #expect(result.output.hasPrefix("Samples things.\n"))
    #expect(result.notes == "")
  }

  @Test func `a wrong command line ends with 64`() async throws {
    let result = try await ending(of: ["lst"])
    #expect(result.status.rawValue == 64)
    #expect(
      result.notes == "sample: error: unknown command 'lst'\nDid you mean 'sample list'?\n"
    )
  }

  @Test func `an error of the command keeps what was printed before`() async throws {
    let result = try await ending(of: ["list"]) { _, terminal in
      try terminal.output.write("half")
      throw CommandFailure("it broke", advice: "Mend it.")
    }
    #expect(result == Ending(.failure, "half", "sample: error: it broke\nMend it.\n"))
  }

  @Test func `a command that has said all may end with another status`() async throws {
    let result = try await ending(of: ["list"]) { _, terminal in
      try terminal.output.write("they differ")
      throw ExitCode.failure
    }
    #expect(result == Ending(.failure, "they differ", ""))
  }

  @Test func `an error of a library is explained`() async throws {
    let result = try await ending(of: ["list"]) { _, _ in throw Trouble() }
    #expect(result == Ending(.tryLater, "", "sample: error: trouble\nWait.\n"))
  }

  @Test func `an interruption ends with 2`() async throws {
    let result = try await ending(of: ["list"]) { _, _ in throw Interruption.Cancelled() }
    #expect(result == Ending(.cancelled, "", "sample: cancelled\n"))
  }

  @Test func `a reader that went away is no error`() async throws {
    let result = try await ending(of: ["list"]) { _, _ in throw FileWriter.BrokenPipe() }
    #expect(result == Ending(.success, "", ""))
  }
}

@Suite struct `Progress` {
  @Test func `a line is overwritten on a terminal only`() throws {
    for (showsProgress, expected) in [(true, "\r\u{1B}[Kone\r\u{1B}[K"), (false, "")] {
      let notes = OutputPipe()
      let terminal = Terminal(
        output: OutputPipe().writer(),
        notes: notes.writer(capacity: 0),
        width: 80,
        showsProgress: showsProgress
      )
      var line = ProgressLine(terminal, interval: .seconds(3_600))
      line.show("one")
      line.show("two, too early")
      line.clear()
      line.clear()
      #expect(try notes.text() == expected)
    }
  }
}
