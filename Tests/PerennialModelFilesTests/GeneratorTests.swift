// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting
import Testing

@testable import perennial_model_generator

/// The program behind the plug-ins.
@Suite final class `The generator` {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  private var said: [String] = []
  private var complaints: [String] = []

  init() throws {
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private var model: URL { folder.appending(path: "Library.xcdatamodel") }
  private var output: URL { folder.appending(path: "Out.swift") }

  private func write(_ elements: String) throws {
    try modelFile(elements).write(to: model.appending(path: "contents"))
  }

  private func run(_ arguments: String...) -> Int32 {
    let generator = Generator(
      say: { self.said.append($0) },
      complain: { self.complaints.append($0) }
    )
    return generator.run(arguments)
  }

  private func text(_ name: String) throws -> String {
    try String(decoding: Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
  }

  private static let entities = """
    <entity name="Built" codeGenerationType="class"/>
    <entity name="Split" codeGenerationType="category"/>
    <entity name="Own"><attribute name="hash" attributeType="String"/></entity>
    """

  @Test func `writes what the build needs into one file`() throws {
    try write(Self.entities)
    #expect(run(model.path, "--output", output.path) == 0)
    let source = try text("Out.swift")
    #expect(source.contains("final class Built: ManagedObject {"))
    #expect(source.contains("class _Split: ManagedObject {"))
    #expect(!source.contains("class Split"))
    #expect(!source.contains("class Own"))
    #expect(said.isEmpty)
    #expect(complaints == ["\(model.path)/contents:5: note: 'Own.hash' is called 'hash_' in Swift"])
  }

  @Test func `leaves an equal file as it is`() throws {
    try write(Self.entities)
    #expect(run(model.path, "--output", output.path) == 0)
    let date = Date(timeIntervalSinceReferenceDate: 0)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: output.path)
    #expect(run(model.path, "--output", output.path) == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: output.path)
    #expect(attributes[.modificationDate] as? Date == date)
    try write("<entity name=\"Other\" codeGenerationType=\"class\"/>")
    #expect(run(model.path, "--output", output.path) == 0)
    #expect(try text("Out.swift").contains("class Other"))
  }

  @Test func `writes files for hands once`() throws {
    try write(Self.entities)
    let mine = "// mine\n"
    try Data(mine.utf8).write(to: folder.appending(path: "Split.swift"))
    #expect(run(model.path, "--folder", folder.path) == 0)
    #expect(
      said
        == ["kept  \(folder.path)/Split.swift", "wrote \(folder.path)/Own.swift"].sorted {
          $0.contains("Own") && !$1.contains("Own")
        }
    )
    #expect(try text("Split.swift") == mine)
    #expect(try text("Own.swift").contains("final class Own: ManagedObject {"))
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "Built.swift").path))
    said = []
    #expect(run(model.path, "--folder", folder.path) == 0)
    #expect(said.count == 2 && said.allSatisfy { $0.hasPrefix("kept  ") })
  }

  @Test func `says so when there is nothing to write`() throws {
    try write("<entity name=\"Built\" codeGenerationType=\"class\"/>")
    #expect(run(model.path, "--folder", folder.path) == 0)
    #expect(said == ["nothing to write: the build generates every class"])
  }

  @Test(
    arguments: [
      ("<entity name=\"A B\"/>", "3", "'A B' cannot be an entity's name"),
      (
        """
        <entity name="A">
        <attribute name="x" attributeType="Time"/>
        </entity>
        """, "4", "'A.x' has the unknown type 'Time'"
      ),
      (
        """
        <entity name="A">
        <relationship name="r" destinationEntity="B"/>
        </entity>
        """, "4", "'A.r' leads to 'B', which the model does not have"
      ),
      ("<entity name=\"A\">", "", "well-formed"),
    ]
  )
  func `says which line of a broken model is wrong`(
    _ elements: String,
    line: String,
    words: String
  ) throws {
    try write(elements)
    #expect(run(model.path, "--output", output.path) == 1)
    let complaint = try #require(complaints.first)
    #expect(complaint.hasPrefix("\(model.path)/contents:\(line)"))
    #expect(complaint.contains(": error: "))
    #expect(complaint.contains(words))
    #expect(!FileManager.default.fileExists(atPath: output.path))
  }

  @Test func `says all that is wrong with a model`() throws {
    try write(
      """
      <entity name="A">
      <relationship name="r" destinationEntity="X"/>
      <relationship name="s" destinationEntity="Y"/>
      </entity>
      """
    )
    #expect(run(model.path, "--output", output.path) == 1)
    #expect(complaints.map { $0.contains("contents:4: error: 'A.r'") } == [true, false])
    #expect(complaints.map { $0.contains("contents:5: error: 'A.s'") } == [false, true])
  }

  @Test func `refuses derivations and patterns that no store can have, with their lines`() throws {
    try write(
      """
      <entity name="A" codeGenerationType="class">
      <attribute name="s" optional="YES" attributeType="String" regularExpressionString="(["/>
      <attribute name="d" optional="YES" attributeType="Integer 64" derived="YES"
        derivationExpression="kids.@count"/>
      <attribute name="e" optional="YES" attributeType="String" derived="YES"
        derivationExpression="uppercase:(s)"/>
      </entity>
      """
    )
    #expect(run(model.path, "--output", output.path) == 1)
    #expect(complaints.count == 2)
    #expect(complaints.first?.contains("contents:4: error: The pattern of 'A.s'") == true)
    #expect(complaints.last?.contains("error: 'A.d' cannot be derived: ") == true)
    #expect(!FileManager.default.fileExists(atPath: output.path))
  }

  @Test func `refuses conditions of indexes that no store can have`() throws {
    try write(
      """
      <entity name="A" codeGenerationType="class">
      <attribute name="s" optional="YES" attributeType="String"/>
      <fetchIndex name="open" partialIndexPredicate="s = = 1">
      <fetchIndexElement property="s" type="Binary" order="ascending"/>
      </fetchIndex>
      </entity>
      """
    )
    #expect(run(model.path, "--output", output.path) == 1)
    #expect(complaints.count == 1)
    let complaint = try #require(complaints.first)
    #expect(complaint.contains("error: The condition of the index 'open' of 'A' is wrong: "))
  }

  @Test func `says what it does not know, and where`() throws {
    try write(
      """
      <entity name="Built" codeGenerationType="class" other="x">
      <attribute name="a" attributeType="String"/>
      </entity>
      <fetchRequest name="bad" entity="Built" predicateString="a === 1"/>
      """
    )
    #expect(run(model.path, "--output", output.path) == 0)
    #expect(complaints.count == 2)
    #expect(complaints.first?.hasPrefix("\(model.path)/contents:3: warning: ") == true)
    #expect(complaints.last?.hasPrefix("\(model.path)/contents:6: warning: ") == true)
    #expect(complaints.last?.contains("'bad' has no function") == true)
  }

  @Test func `says when no version of the model is in use`() throws {
    let versions = folder.appending(path: "Two.xcdatamodeld")
    for name in ["A", "B"] {
      try FileManager.default.createDirectory(
        at: versions.appending(path: "\(name).xcdatamodel"),
        withIntermediateDirectories: true
      )
    }
    #expect(run(versions.path, "--output", output.path) == 1)
    #expect(complaints.count == 1)
    #expect(complaints.first?.hasPrefix("\(versions.path):1: error: ") == true)
    #expect(complaints.first?.contains(".xccurrentversion") == true)
  }

  @Test func `says when a file cannot be written`() throws {
    try write(Self.entities)
    // Where a folder would have to be, there is a file.
    let place = model.appending(path: "contents/Out").path
    for target in ["--output", "--folder"] {
      complaints = []
      #expect(run(model.path, target, place) == 1)
      #expect(complaints.last?.contains("cannot be written: ") == true)
      #expect(complaints.last?.contains(place) == true)
    }
  }

  @Test func `says when there is no model`() throws {
    #expect(run(folder.appending(path: "No.xcdatamodeld").path, "--output", output.path) == 1)
    #expect(complaints.count == 1)
    #expect(complaints[0].contains("No.xcdatamodeld:1: error: "))
  }

  @Test func `reads options, the model's own in front`() throws {
    try write(Self.entities)
    let options = folder.appending(path: "perennial-models.json")
    let json = """
      {"codeGeneration": "none", "access": "public",
       "models": {"Library": {"codeGeneration": "class"}, "Other": {"access": "package"}}}
      """
    try Data(json.utf8).write(to: options)
    #expect(run(model.path, "--output", output.path, "--options", options.path) == 0)
    let source = try text("Out.swift")
    #expect(source.contains("public import Perennial"))
    #expect(source.contains("public nonisolated final class Own: ManagedObject {"))
    #expect(source.contains("public var hash_: String"))
    #expect(source.contains("public static let entities"))
  }

  @Test(arguments: [
    "{}", "{\"models\": {}}", "{\"models\": {\"Other\": {\"access\": \"public\"}}}",
  ])
  func `needs no options of the model's own`(_ json: String) throws {
    try write(Self.entities)
    let options = folder.appending(path: "perennial-models.json")
    try Data(json.utf8).write(to: options)
    #expect(run(model.path, "--output", output.path, "--options", options.path) == 0)
    #expect(try !text("Out.swift").contains("public "))
  }

  @Test func `lies in a namespace when its options say so`() throws {
    try write(Self.entities)
    let options = folder.appending(path: "perennial-models.json")
    try Data("{\"usesNamespace\": true}".utf8).write(to: options)
    #expect(run(model.path, "--output", output.path, "--options", options.path) == 0)
    #expect(try text("Out.swift").contains("extension Library {\n"))
  }

  @Test func `is a program that writes where it is to`() async throws {
    try write(Self.entities)
    let program = Program.built("perennial-model-generator", in: folder, environment: [:])
    let done = try await program.run(model.path, "--output", "Out.swift")
    #expect(done.status == 0)
    #expect(done.errorLines.count == 1)
    #expect(try text("Out.swift").contains("class Built: ManagedObject"))
    let nothing = try await program.run()
    #expect(nothing.status == 2)
    #expect(nothing.errors.contains("error: there is no model"))
    #expect(try await program.run("--help").text.hasPrefix("usage: perennial-model-generator"))
  }

  @Test(
    arguments: [
      ("{\"codegen\": \"class\"}", "there is no option 'codegen'"),
      ("{\"codeGeneration\": \"all\"}", "'codeGeneration' is none of class"),
      ("{\"access\": 3}", "'access' is none of internal"),
      ("{\"usesNamespace\": \"yes\"}", "'usesNamespace' is neither"),
      ("{\"models\": [\"Library\"]}", "'models' is no object"), ("{", "no JSON"), ("[1]", "option"),
    ]
  )
  func `refuses options that mean nothing`(_ json: String, _ words: String) throws {
    try write(Self.entities)
    let options = folder.appending(path: "perennial-models.json")
    try Data(json.utf8).write(to: options)
    #expect(run(model.path, "--output", output.path, "--options", options.path) == 1)
    #expect(complaints.count == 1)
    #expect(complaints[0].hasPrefix("\(options.path):1: error: "))
    #expect(complaints[0].contains(words))
  }

  @Test(
    arguments: [
      [], ["a"], ["a", "b", "--output", "c"], ["a", "--output"], ["a", "--out", "b"],
      ["a", "--output", "b", "--folder", "c"],
    ]
  )
  func `says how it is called`(_ arguments: [String]) {
    let generator = Generator(say: { _ in }, complain: { self.complaints.append($0) })
    #expect(generator.run(arguments) == 2)
    #expect(complaints.count == 1)
    #expect(complaints[0].contains("usage: perennial-model-generator"))
  }

  @Test func `says how it is called when it is asked for help`() {
    var said: [String] = []
    let generator = Generator(say: { said.append($0) }, complain: { self.complaints.append($0) })
    #expect(generator.run(["--help"]) == 0)
    #expect(said.count == 1 && said[0].contains("usage: perennial-model-generator"))
    #expect(complaints.isEmpty)
  }
}
