// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import DemoHistory
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

@Suite struct `Store files of the built program` {
  let repository: TestRepository
  let program: Program

  init() throws {
    repository = try TestRepository()
    program = Program.commits(in: repository)
    try repository.add(DemoHistory(count: 30))
  }

  func importing(to path: String) async throws -> Program.Result {
    try await program.run("import", "repository", "--store-path", path)
  }

  func listedCount(_ path: String) async throws -> Int {
    let result = try await program.run("list", "--json", "--store-path", path)
    try #require(result.status == 0, "\(result.errors)")
    return try result.decoded(as: [ListedCommit].self).count
  }

  func url(_ name: String) -> URL { repository.root.appendingPathComponent(name) }

  /// Both a reading and a writing command fail, and the file stays as it is.
  func expectRefusal(of name: String, _ message: String) async throws {
    let before = try? Data(contentsOf: url(name))
    for result in [
      try await importing(to: name), try await program.run("list", "--store-path", name),
    ] {
      #expect(result.status == 1)
      #expect(result.text.isEmpty)
      #expect(result.errorLines.first == "commits: error: \(message)")
      #expect(result.errorLines.count == 2)
    }
    #expect((try? Data(contentsOf: url(name))) == before)
  }

  @Test func `a missing store is empty to readers, who leave no file behind`() async throws {
    let list = try await program.run("list", "--json", "--store-path", "missing")
    #expect(list.status == 0)
    #expect(list.text == "[]\n")
    #expect(list.errors.hasPrefix("There is no store '"))
    #expect(try await program.run("show", "a", "--store-path", "missing").status == 1)
    #expect(try await program.run("stats", "--store-path", "missing").status == 0)
    #expect(!FileManager.default.fileExists(atPath: url("missing").path))
  }

  #if !PostgreSQL
  @Test func `without PostgreSQL the program says how to build it with PostgreSQL`() async throws {
    for command in [["list"], ["import", "repository"], ["watch"]] {
      let result = try await program.run(
        command + ["--store", "postgres", "--store-path", "postgres://ada:secret@db/library"]
      )
      #expect(result.status == 1 && result.text.isEmpty)
      #expect(
        result.errorLines == [
          "commits: error: 'commits' was built without PostgreSQL",
          "Build it with 'swift run --traits PostgreSQL commits …'; "
            + "that needs libpq, as in 'apt-get install libpq-dev'.",
        ]
      )
    }
  }
  #endif

  @Test func `an empty file becomes a store by an import only`() async throws {
    try repository.write("", to: "store")
    #expect(try await listedCount("store") == 0)
    #expect(try Data(contentsOf: url("store")).isEmpty)
    #expect(try await importing(to: "store").status == 0)
    #expect(try await listedCount("store") == 30)
  }

  @Test func `folders on the way are made`() async throws {
    #expect(try await importing(to: "a/b/store").status == 0)
    #expect(try await listedCount("a/b/store") == 30)
  }

  @Test func `a file on the way is an error`() async throws {
    try repository.write("text", to: "file")
    let result = try await importing(to: "file/store")
    #expect(result.status == 1)
    #expect(result.errorLines.last == "Give another place with '--store-path PATH'.")
  }

  @Test func `a symbolic link is followed`() async throws {
    try repository.write("", to: "target")
    try FileManager.default.createSymbolicLink(
      atPath: url("link").path,
      withDestinationPath: "target"
    )
    #expect(try await importing(to: "link").status == 0)
    #expect(try await listedCount("target") == 30)
    #expect(try await listedCount("link") == 30)
  }

  @Test func `what is no store of commits is refused and kept`() async throws {
    try FileManager.default.createDirectory(at: url("folder"), withIntermediateDirectories: true)
    try await expectRefusal(of: "folder", "The store 'folder' is a folder")

    try repository.write("This is a text, not a database.", to: "text")
    try await expectRefusal(of: "text", "'text' is not a SQLite database")

    try FileManager.default.createSymbolicLink(
      atPath: url("link").path,
      withDestinationPath: "nowhere"
    )
    try await expectRefusal(
      of: "link",
      "The store 'link' is a symbolic link that leads nowhere"
    )
  }

  @Test(arguments: [100, 4_096, 30_000]) func `a truncated store is refused and kept`(
    size: Int
  ) async throws {
    _ = try await importing(to: "store")
    try Data(contentsOf: url("store")).prefix(size).write(to: url("cut"))
    try await expectRefusal(
      of: "cut",
      "The store 'cut' is damaged: database disk image is malformed"
    )
  }

  @Test func `a store that may not be written is still read`() async throws {
    #expect(try await importing(to: "store").status == 0)
    #expect(!FileManager.default.fileExists(atPath: url("store-wal").path))
    try await withTemporaryFileSystem("8m") { folder in
      try FileManager.default.copyItem(at: url("store"), to: folder.appendingPathComponent("store"))
      try await run("mount", "-o", "remount,ro", folder.path)
      #expect(try await listedCount("disk/store") == 30)
      #expect(try await program.run("stats", "--store-path", "disk/store").status == 0)
      try await expectWatching("disk/store")
      for result in [
        try await importing(to: "disk/store"), try await importing(to: "disk/new"),
        try await program.run("delete", "a", "--store-path", "disk/store"),
      ] {
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot be written"))
        #expect(!result.errors.contains("isReadOnly"))
      }
    }
  }

  @Test(.disabled(if: geteuid() == 0, "an administrator may write everything"))
  func `a store in a folder that may not be written is still read`() async throws {
    #expect(try await importing(to: "shared/store").status == 0)
    let folder = url("shared").path
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    #expect(try await listedCount("shared/store") == 30)
    try await expectWatching("shared/store")
    // More commits than one batch has.
    var commits = (0..<100).map { TestCommit("Commit \($0)") }
    commits[0].continuesMain = true
    try repository.add(commits)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
    #expect(try await importing(to: "shared/store").status == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    try await expectWatching("shared/store", count: 130) {
      let file = try FileHandle(forWritingTo: url("shared/store"))
      try file.truncate(atOffset: 0)
      try file.close()
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
  }

  /// A live list shows a store that cannot be written, to its end, as it was at its beginning.
  private func expectWatching(
    _ path: String,
    count: Int = 30,
    while change: () throws -> Void = {}
  ) async throws {
    var program = program
    program.environment["TERM"] = "xterm"
    let list = try await program.run("list", "--json", "--store-path", path)
    let last = try #require(try list.decoded(as: [ListedCommit].self).last)
    let terminal = try PseudoTerminal(program, ["watch", "--by-date", "--store-path", path])
    let screen = try await terminal.screen { $0.frames > 0 }
    #expect(screen.lines[0].hasSuffix("\(count) commits, others' changes may be missing"))
    try change()
    terminal.type("\u{1B}[F")
    _ = try await terminal.screen { $0.lines.contains { $0.contains(last.sha.prefix(8)) } }
    terminal.type("q")
    #expect(await terminal.status() == 0)
  }

  @Test func `a live list of a checkout that is not there makes no store`() async throws {
    let result = try await program.run("watch", "--import", "nowhere", "--store-path", "new")
    #expect(result.status != 0)
    #expect(!FileManager.default.fileExists(atPath: url("new").path))
  }

  @Test func `a full disk is an error, and with more space the import is completed`() async throws {
    try await withTemporaryFileSystem("1m") { folder in
      #expect(try await importing(to: "disk/store").status == 0)
      let filler = folder.appendingPathComponent("filler")
      try await run("sh", "-c", "cat /dev/zero > '\(filler.path)' || true")
      var commit = TestCommit(String(repeating: "long ", count: 20_000))
      commit.continuesMain = true
      try repository.add([commit])

      let result = try await importing(to: "disk/store")
      #expect(result.status == 1)
      #expect(result.errors.contains("is full"))
      try FileManager.default.removeItem(at: filler)
      #expect(try await listedCount("disk/store") == 30)
      #expect(try await importing(to: "disk/store").status == 0)
      #expect(try await listedCount("disk/store") == 31)
    }
  }

  /// Runs a test in a small file system, or cancels it where none can be mounted.
  private func withTemporaryFileSystem(
    _ size: String,
    body: (URL) async throws -> Void
  ) async throws {
    let folder = url("disk")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let arguments = ["mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder.path]
    guard try await tool(arguments).status == 0 else {
      try Test.cancel("no file system can be mounted here")
    }
    do {
      try await body(folder)
    } catch {
      try await run("umount", folder.path)
      throw error
    }
    try await run("umount", folder.path)
  }

  private func run(_ arguments: String...) async throws {
    let result = try await tool(arguments)
    try #require(result.status == 0, "\(result.errors)")
  }

  private func tool(_ arguments: [String]) async throws -> Program.Result {
    let program = Program(
      executable: URL(fileURLWithPath: "/usr/bin/env"),
      folder: repository.root,
      environment: self.program.environment
    )
    return try await program.run(arguments)
  }
}
