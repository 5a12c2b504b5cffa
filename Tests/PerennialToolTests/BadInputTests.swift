// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite struct `Wrong command lines and wrong files` {
  let folder: ToolFolder
  let model: String

  init() throws {
    folder = try ToolFolder()
    model = try folder.copyModel()
  }

  /// Runs a command that must fail with one message, without data and without a change of any file.
  private func failure(_ arguments: String..., status: Int32 = 1) async throws -> [String] {
    try await failure(arguments, status: status)
  }

  private func failure(_ arguments: [String], status: Int32 = 1) async throws -> [String] {
    let before = try folder.contents(of: ".")
    let result = try await folder.program.run(arguments)
    #expect(result.status == status, "\(arguments): \(result.errors)")
    #expect(result.text.isEmpty)
    #expect(try folder.contents(of: ".") == before)
    return result.errorLines
  }

  @Test func `the wrong words of a command line are usage errors with a hint`() async throws {
    #expect(
      try await failure("inspct", status: 64)
        == ["perennial: error: unknown command 'inspct'", "Did you mean 'perennial inspect'?"]
    )
    #expect(
      try await failure("dump", "x", "--entiy", "A", status: 64).last == "Did you mean '--entity'?"
    )
    #expect(
      try await failure("dump", "x", status: 64).first?.contains("'--entity' is missing") == true
    )
    #expect(try await failure("dump", "x", "--entity", "A", "--limit", "-1", status: 64).count == 2)
    #expect(
      try await failure("dump", "x", "--entity", "A", "--sort", "a,,b", status: 64).count == 2
    )
    #expect(
      try await failure("dump", "x", "--entity", "A", "--entity", "B", status: 64) == [
        "perennial: error: '--entity' is given more than once, and 'dump' prints the rows of one entity",
        "Run 'perennial dump' once for each entity.",
      ]
    )
    #expect(
      try await failure("--version", status: 64) == [
        "perennial: error: '--version' is an option of 'perennial model'",
        "Write: perennial model --version NAME",
      ]
    )
    #expect(try await failure("diff", "x", status: 64).first?.contains("B is missing") == true)
    #expect(
      try await failure("convert", "x", "y", status: 64).last == "Add '--to sqlite' or '--to json'."
    )
    #expect(try await failure("model", model, "--svg", "--dot", status: 64).count == 2)
  }

  @Test func `what is no store is refused by what it is`() async throws {
    let files: [(name: String, content: Data?, message: String)] = [
      ("missing.sqlite", nil, "there is no file 'missing.sqlite'"),
      ("empty.sqlite", Data(), "'empty.sqlite' is empty"),
      ("text.sqlite", Data("Hello".utf8), "'text.sqlite' is neither a store nor a model"),
      ("short.sqlite", Data("SQLite format 3\0".utf8), "'short.sqlite' is not a SQLite database"),
      ("other.json", Data("{\"a\": 1}".utf8), "is a JSON file of another program"),
      (model, nil, "is a model, not a store"),
      ("temporary", nil, "'temporary' is a folder"),
    ]
    for file in files {
      if let content = file.content { try content.write(to: folder.file(file.name)) }
      for command in [["inspect"], ["dump", "--entity", "A"], ["vacuum"], ["backup"]] {
        let end = command == ["backup"] ? ["copy"] : []
        let before = try folder.contents(of: ".")
        let result = try await folder.program.run(command + [file.name] + end)
        if command == ["vacuum"], file.name == "other.json" { continue }
        #expect(result.status == 1, "\(command) \(file.name)")
        #expect(result.text.isEmpty)
        if command != ["dump", "--entity", "A"] || !file.name.hasPrefix("other") {
          #expect(result.errors.contains(file.message), "\(command): \(result.errors)")
        }
        #expect(try folder.contents(of: ".") == before)
      }
    }
  }

  @Test func `a database of another program is refused`() async throws {
    // An empty database with one table, as SQLite writes it, cut out of a store without its metadata.
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    var bytes = try Data(contentsOf: folder.file(store))
    let name = Data("Z_METADATA".utf8)
    while let range = bytes.range(of: name) {
      bytes.replaceSubrange(range, with: Data("Y_METADATA".utf8))
    }
    try bytes.write(to: folder.file("foreign.sqlite"))
    for command in ["inspect", "hash", "vacuum"] {
      let lines = try await failure(command, "foreign.sqlite")
      #expect(lines.first?.contains("foreign.sqlite") == true, "\(lines)")
    }
    let lines = try await failure("inspect", "foreign.sqlite")
    #expect(
      lines.first == "perennial: error: 'foreign.sqlite' is a SQLite database of another program"
    )
  }

  @Test(
    arguments: [
      (["inspect"], []), (["hash"], []), (["model"], []), (["vacuum"], []),
      (["dump", "--entity", "A"], []), (["backup"], ["copy"]), (["convert"], ["copy.json"]),
    ] as [([String], [String])]
  )
  func `a database that never was a store is called that`(
    _ command: [String],
    _ end: [String]
  ) async throws {
    try SQLiteDatabase(folder.file("x.sqlite")).run("CREATE TABLE t (a)")
    let result = try await folder.program.run(command + ["x.sqlite"] + end)
    #expect(result.status == 1)
    // What is given here is a path.
    #expect(!result.errors.contains("URL"), "\(result.errors)")
    #expect(
      result.errorLines.first
        == "perennial: error: 'x.sqlite' is a SQLite database of another program"
    )
  }

  @Test func `a text that is no store has nothing to vacuum`() async throws {
    try Data("{\"a\": 1}\n".utf8).write(to: folder.file("x.json"))
    let result = try await folder.run("vacuum", "x.json")
    #expect(result.status == 1)
    #expect(!result.errors.contains("nothing to do"), "\(result.errors)")
  }

  @Test func `a wrong name or format is a usage error that says where`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    func dump(_ options: String...) async throws -> [String] {
      let before = try folder.contents(of: ".")
      let result = try await folder.program.run(["dump", store, "--model", model] + options)
      #expect(result.status == 64, "\(options): \(result.errors)")
      #expect(result.text.isEmpty)
      #expect(try folder.contents(of: ".") == before)
      return result.errorLines
    }
    #expect(
      try await dump("--entity", "Autor")
        == [
          "perennial: error: '--entity': The model has no entity 'Autor'", "Did you mean 'Author'?",
        ]
    )
    let format = try await dump("--entity", "Item", "--where", "title ==")
    #expect(format.first?.hasPrefix("perennial: error: '--where': ") == true)
    let name = try await dump("--entity", "Item", "--where", "titl == 'x'")
    #expect(
      name.first?.hasPrefix("perennial: error: '--where': 'Item' has no property 'titl'") == true
    )
    #expect(name.last == "Did you mean 'title'?")
    let sort = try await dump("--entity", "Item", "--sort", "-titel")
    #expect(sort.first?.hasPrefix("perennial: error: '--sort': ") == true)
    let type = try await dump("--entity", "Item", "--where", "count > 'x'")
    #expect(type.first?.hasPrefix("perennial: error: '--where': ") == true)
  }

  @Test func `a model that is not the store's is an error that names what differs`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let old = "\(model)/Library.xcdatamodel"
    let lines = try await failure("dump", store, "--model", old, "--entity", "Author")
    #expect(lines.first?.contains("incompatible with the one used to create the store") == true)
    #expect(lines.first?.contains("Author") == true)
  }

  @Test func `every problem of a model is told, each with its cure`() async throws {
    let contents = """
      <?xml version="1.0"?><model type="com.apple.IDECoreDataModeler.DataModel">
      <entity name="A"><relationship name="b" toMany="YES" destinationEntity="Bee"/></entity>
      <entity name="C"><relationship name="d" toMany="YES" destinationEntity="Dee"/></entity></model>
      """
    try Data(contents.utf8).write(to: folder.file("contents"))
    let lines = try await failure("model", "contents")
    #expect(lines.first?.hasPrefix("perennial: error: ") == true)
    #expect(lines.contains { $0.hasPrefix("- ") && $0.contains("Bee") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("- ") && $0.contains("Dee") }, "\(lines)")
  }

  @Test func `advice is for the command line`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let variable = try await failure(
      "dump",
      store,
      "--entity",
      "Author",
      "--where",
      "name == $X",
      status: 64
    )
    #expect(variable.last == "Write the value itself in the place of the variable.")
  }

  @Test func `a pipe is no file to read`() async throws {
    try #require(mkfifo(folder.file("pipe").path, 0o600) == 0)
    let result = try await folder.run("inspect", "pipe")
    #expect(result.status == 1)
    #expect(
      result.errorLines == ["perennial: error: 'pipe' is not an ordinary file", "Name a file."]
    )
  }

  @Test func `a model that its folder or its first bytes tell is refused as a store`() async throws
  {
    let folders = ["compiled.momd", "plain"]
    for name in folders {
      let place = folder.file(name)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data("<model/>".utf8).write(to: place.appending(path: "contents"))
    }
    for name in folders {
      #expect(try await failure("inspect", name).first?.contains("is a model, not a store") == true)
    }
  }

  @Test func `a mark of the order of bytes keeps no model from being read`() async throws {
    let bytes = try Data(contentsOf: folder.file("\(model)/Library 2.xcdatamodel/contents"))
    try (Data([0xEF, 0xBB, 0xBF]) + bytes).write(to: folder.file("marked"))
    let result = try await folder.run("hash", "marked")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try await result.output == folder.run("hash", model).output)
  }

  @Test func `a version that cannot be read is passed over for the store's`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let broken = folder.file("\(model)/A.xcdatamodel")
    try FileManager.default.createDirectory(at: broken, withIntermediateDirectories: true)
    let dump = try await folder.run("dump", store, "--model", model, "--entity", "Tag")
    #expect(dump.status == 0, "\(dump.errors)")
    #expect(dump.lines.count == 3)
  }

  @Test func `a path through a file leads to nothing`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    #expect(
      try await failure("inspect", "\(store)/other").first
        == "perennial: error: there is no file '\(store)/other'"
    )
  }

  @Test func `a path that cannot be followed is not called missing`() async throws {
    let long = String(repeating: "a", count: 300)
    let lines = try await failure("inspect", long)
    #expect(lines.first?.contains("cannot be looked at: ") == true)
  }

  @Test func `a model that cannot be read is an error that says why`() async throws {
    try Data("bplist00".utf8).write(to: folder.file("a.mom"))
    try Data("<model><entity name=\"A\"".utf8).write(to: folder.file("contents"))
    for command in ["model", "hash"] {
      #expect(try await failure(command, "a.mom").first?.contains("compiled") == true)
      #expect(try await failure(command, "contents").first?.contains("cannot be read") == true)
      let version = try await failure(command, model, "--version", "Library 3")
      #expect(version.last?.contains("Library") == true)
    }
  }

  @Test func `a store on a server can be converted only, and no password is shown`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let address = "postgres://ada:secret@127.0.0.1:1/library?password=secret"
    for arguments in [
      ["inspect", address], ["dump", address, "--entity", "A"], ["hash", address],
      ["diff", store, address, "--model", model], ["vacuum", address],
      ["convert", store, "a.json", "--model", address], ["backup", address, "copy.sqlite"],
    ] {
      let lines = try await failure(arguments)
      #expect(lines.first?.contains("is on a server") == true, "\(arguments): \(lines)")
      #expect(lines.last == "Copy the store to a file first, with 'perennial convert'.")
      #expect(!lines.joined().contains("secret"))
    }
    for arguments in [
      ["backup", store, address], ["convert", store, address, "--to", "json"],
      ["convert", address, "a.json", "--from", "json"], ["convert", store, "a.json", address],
      ["convert", "postgres://ada:secret@db:x:y", "a.json"], ["inspct", address],
    ] {
      let lines = try await failure(arguments, status: 64)
      #expect(lines.count == 2, "\(arguments): \(lines)")
      #expect(!lines.joined().contains("secret"))
    }
  }

  #if !PostgreSQL
  @Test func `without PostgreSQL the program says how to build it with PostgreSQL`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let address = "postgres://ada:secret@127.0.0.1:1/library"
    for arguments in [[store, address, "--model", model], [address, "a.json", "--model", model]] {
      #expect(
        try await failure(["convert"] + arguments) == [
          "perennial: error: 'perennial' was built without PostgreSQL",
          "Build it with 'swift run --traits PostgreSQL perennial …'; "
            + "that needs libpq, as in 'apt-get install libpq-dev'.",
        ]
      )
    }
  }
  #endif

  @Test func `nothing is written over, nor made where no folder is`() async throws {
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    try Data("mine".utf8).write(to: folder.file("mine.json"))
    #expect(
      try await failure("convert", store, "mine.json", "--model", model).first
        == "perennial: error: there is a file 'mine.json' already"
    )
    #expect(try await failure("backup", store, store).count == 2)
    #expect(
      try await failure("backup", store, "none/copy.sqlite").first?.contains("there is no folder")
        == true
    )
  }
}
