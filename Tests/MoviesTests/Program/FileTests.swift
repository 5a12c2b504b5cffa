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

@Suite struct `Files of the built program movies` {
  let home: TestHome

  init() throws {
    home = try TestHome(key: nil)
  }

  @Test func `what is exported is imported, whatever the texts hold`() async throws {
    for name in ["Ann \"A\" O'Neil", "Zoë\u{1B}[31m"] { try await home.run("family", "add", name) }
    try await home.run("add", "Ann \"A\" O'Neil", #"A & B + C \ "é" 映画 🎬"#)
    let exported = try await home.run("export", "out.json")
    #expect(exported.text.isEmpty)
    #expect(exported.errorLines.last == "1 movie exported")
    let other = try TestHome(key: nil)
    let file = home.url("out.json").path
    #expect(try await other.run("import", file).text == "1 movie (1 new), 2 members (2 new)\n")
    #expect(try await other.movies() == home.movies())
    #expect(try await other.movies().first?.title == #"A & B + C \ "é" 映画 🎬"#)
    try await other.run("export", "again.json")
    #expect(try Data(contentsOf: other.url("again.json")) == Data(contentsOf: home.url("out.json")))
  }

  @Test func `a dash stands for standard output, and for standard input`() async throws {
    try await home.run("family", "add", "Ann")
    try await home.run("add", "Ann", "Alpha")
    try await home.run("export", "out.json")
    let exported = try await home.run("export", "-")
    #expect(exported.output == (try Data(contentsOf: home.url("out.json"))))
    #expect(exported.errorLines.last == "1 movie exported")
    #expect(!FileManager.default.fileExists(atPath: home.url("-").path))
    // Nothing is there to be read.
    let imported = try await home.program.run("import", "-")
    #expect(imported.status == 1)
    #expect(
      imported.errorLines.first
        == "movies: error: the file '-' is not a file of movies: it is not JSON"
    )
  }

  @Test func `importing again changes nothing, and a file adds to what is there`() async throws {
    let first = #"{"movies": [{"title": "Alpha", "popularity": 1.5, "familyMembers": ["Ann"]}]}"#
    let second = #"{"movies": [{"title": "Alpha", "familyMembers": ["Ben"]}, {"title": "Beta"}]}"#
    try home.write(first, to: "1.json")
    try home.write(second, to: "2.json")
    try await home.run("import", "1.json")
    let again = try await home.run("import", "1.json", "--json")
    #expect(
      again.text == #"{"movies": 1, "newMovies": 0, "members": 1, "newMembers": 0}"# + "\n"
    )
    try await home.run("import", "2.json")
    #expect(
      try await home.movies() == [PrintedMovie("Alpha", 1.5, "Ann", "Ben"), PrintedMovie("Beta")]
    )
  }

  @Test func `a list in memory imports a file and leaves no store behind`() async throws {
    try home.write(#"{"movies": [{"title": "Alpha"}]}"#, to: "in.json")
    let movies = try await home.movies("--store", "memory", "--import", "in.json")
    #expect(movies == [PrintedMovie("Alpha")])
    #expect(!FileManager.default.fileExists(atPath: home.store.path))
  }

  @Test func `a store in a JSON file lists the same bytes as one in SQLite`() async throws {
    let movies = #"{"title": "Alpha \"é\" 🎬", "popularity": 1.5, "familyMembers": ["Ann", "Ben"]}"#
    try home.write(#"{"movies": [\#(movies), {"title": "Beta"}], "family": ["Cy"]}"#, to: "in.json")
    let store = ["--store", "json", "--store-path", "movies.store.json"]
    let imported = try await home.program.run(["import", "in.json"] + store)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(!FileManager.default.fileExists(atPath: home.store.path))
    try await home.run("import", "in.json")
    for arguments in [["list", "--json"], ["list"], ["family", "list", "--json"]] {
      let json = try await home.program.run(arguments + store)
      let sqlite = try await home.program.run(arguments)
      #expect(json.status == sqlite.status)
      #expect(json.output == sqlite.output)
    }
  }

  @Test(arguments: [
    ("", "it is not JSON"), ("[]", "the whole has another type"),
    ("{}", "movies is missing"),
    (#"{"movies": [{"popularity": 1}]}"#, "movies[0].title is missing"),
    (#"{"movies": [{"title": "A"}, {"title": " "}]}"#, "movies[1].title is empty"),
    (#"{"movies": [{"title": 3}]}"#, "movies[0].title has another type"),
    (#"{"movies": [{"title": "A", "popularity": "x"}]}"#, "movies[0].popularity has another type"),
    (#"{"movies": [], "family": [""]}"#, "a name is empty"),
    (#"{"movies": [{"title": null}]}"#, "movies[0].title is null"),
  ])
  func `a file with a mistake changes nothing`(text: String, place: String) async throws {
    try home.write(text, to: "in.json")
    let result = try await home.program.run("import", "in.json")
    #expect(result.status == 1)
    #expect(
      result.errorLines == [
        "movies: error: the file 'in.json' is not a file of movies: \(place)",
        "Correct it, or give a file that 'movies export' has written.",
      ]
    )
    #expect(!FileManager.default.fileExists(atPath: home.store.path))
  }

  @Test func `files that cannot be read or written are errors`() async throws {
    let missing = try await home.program.run("import", "missing.json")
    #expect(missing.status == 1)
    #expect(missing.errorLines.first == "movies: error: the file 'missing.json' cannot be read")
    let export = try await home.program.run("export", "no/folder.json")
    #expect(export.status == 1)
    #expect(
      export.errorLines.contains("movies: error: the file 'no/folder.json' cannot be written")
    )
  }

  @Test func `an export keeps a link and the permissions of its file`() async throws {
    try home.write("old", to: "real.json")
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.url("real.json").path)
    for (link, target) in [("link", "real.json"), ("new", "missing.json")] {
      try manager.createSymbolicLink(
        atPath: home.url(link).path,
        withDestinationPath: target
      )
      try await home.run("export", link)
      #expect(try manager.destinationOfSymbolicLink(atPath: home.url(link).path) == target)
      let text = try String(contentsOf: home.url(target), encoding: .utf8)
      #expect(text.contains("\"movies\": []"))
    }
    let attributes = try manager.attributesOfItem(atPath: home.url("real.json").path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let names = try manager.contentsOfDirectory(atPath: home.folder.path)
    #expect(Set(names).subtracting(["movies"]) == ["link", "missing.json", "new", "real.json"])
  }

  @Test func `an export to where standard output leads adds to the file`() async throws {
    try await home.run("export", "alone.json")
    let shell = Program(
      executable: URL(fileURLWithPath: "/bin/sh"),
      folder: home.folder,
      environment: home.program.environment
    )
    let script = "echo a >> log; '\(home.program.executable.path)' export /dev/stdout >> log"
    let result = try await shell.run("-c", script)
    #expect(result.status == 0, "\(result.errors)")
    let alone = try String(contentsOf: home.url("alone.json"), encoding: .utf8)
    #expect(try String(contentsOf: home.url("log"), encoding: .utf8) == "a\n" + alone)
  }

  @Test func `an export goes where the system finds the path, not its text`() async throws {
    let manager = FileManager.default
    try manager.createDirectory(at: home.url("real/sub"), withIntermediateDirectories: true)
    try manager.createSymbolicLink(
      atPath: home.url("link").path,
      withDestinationPath: "real/sub"
    )
    try home.write("old", to: "real/a.json")
    try home.write("other", to: "a.json")
    try await home.run("export", "link/../a.json")
    #expect(try String(contentsOf: home.url("a.json"), encoding: .utf8) == "other")
    #expect(try String(contentsOf: home.url("real/a.json"), encoding: .utf8).contains("\"movies\""))
  }

  @Test(.enabled(if: geteuid() == 0, "only an administrator may give files away"))
  func `an export keeps the owner and the group of its file`() async throws {
    try home.write("old", to: "a.json")
    let path = home.url("a.json").path
    try #require(chmod(path, 0o640) == 0 && chown(path, 1_234, 2_345) == 0)
    try await home.run("export", "a.json")
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(attributes[.ownerAccountID] as? Int == 1_234)
    #expect(attributes[.groupOwnerAccountID] as? Int == 2_345)
  }

  @Test func `an export into a pipe is read at its other end`() async throws {
    let pipe = home.url("pipe").path
    try #require(mkfifo(pipe, 0o600) == 0)
    let end = open(pipe, O_RDWR | O_CLOEXEC)
    try #require(end >= 0)
    defer { close(end) }
    try await home.run("export", "pipe")
    var bytes = [UInt8](repeating: 0, count: 1_000)
    let count = read(end, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("\"movies\": []"))
    let attributes = try FileManager.default.attributesOfItem(atPath: pipe)
    #expect(attributes[.type] as? FileAttributeType != .typeRegular)
  }

  @Test func `ten programs that add at once lose nothing`() async throws {
    try await home.run("family", "add", "Ann")
    let runs = try (0..<10).map { number in
      try home.program.start(["add", "Ann", number < 5 ? "Same" : "Movie \(number)"])
    }
    for run in runs {
      let result = try await run.result()
      #expect(result.status == 0, "\(result.errors)")
    }
    let titles = try await home.movies().map(\.title)
    #expect(titles == (5..<10).map { "Movie \($0)" } + ["Same"])
    #expect(try await home.movies().allSatisfy { $0.familyMembers == ["Ann"] })
  }
}
