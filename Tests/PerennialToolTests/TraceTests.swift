// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModelFiles
import ProgramTesting
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite struct `Reading leaves no trace` {
  let folder: ToolFolder

  init() throws { folder = try ToolFolder() }

  private func readAll(_ store: String, _ model: String, _ entity: String) async throws {
    let before = try folder.contents(of: ".")
    for command in [
      ["inspect", store], ["inspect", store, "--model", model], ["hash", store],
      ["dump", store, "--model", model, "--entity", entity],
      ["diff", store, store, "--model", model],
    ] {
      let result = try await folder.program.run(command)
      #expect(result.status == 0, "\(command): \(result.errors)")
      #expect(try folder.contents(of: ".") == before, "\(command)")
    }
    #expect(try folder.temporaryFiles().isEmpty)
  }

  @Test func `beside stores of Core Data`() async throws {
    try folder.copy("users")
    try folder.copy("bookmarks")
    try await readAll("users/store.sqlite", "users/model.xcdatamodel", "User")
    try await readAll("bookmarks/store.sqlite", "bookmarks/model.xcdatamodel", "BookmarkEntity")
  }

  @Test(arguments: ["Library.sqlite", "Library.json"])
  func `beside our own stores`(_ name: String) async throws {
    let model = try folder.copyModel()
    try await readAll(try LibraryStore.make(name, in: folder), model, "Item")
  }

  @Test func `beside a store whose log and shared memory a crash has left`() async throws {
    let model = try folder.copyModel()
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let url = folder.file(store)
    let container = try PersistentContainer(
      name: "Library",
      model: ManagedObjectModel(contentsOf: folder.file(model)),
      store: .sqlite(url)
    )
    let context = container.newBackgroundContext()
    try context.insert(entityNamed: "Tag").setValue("in the log", forKey: "name")
    try context.save()
    // What a process that dies now leaves: nobody has these files open.
    for end in ["", "-wal", "-shm"] {
      let bytes = try Data(contentsOf: URL(filePath: url.path + end))
      try bytes.write(to: folder.file("Crashed.sqlite\(end)"))
    }
    try await readAll("Crashed.sqlite", model, "Item")
    let tags = try await folder.run("dump", "Crashed.sqlite", "--model", model, "--entity", "Tag")
    #expect(tags.lines.contains { $0.contains("in the log") })
    // While the store is open, its own files are those of whoever has it open.
    let open = try await folder.run("dump", store, "--model", model, "--entity", "Tag")
    #expect(open.lines.contains { $0.contains("in the log") })
    withExtendedLifetime(container) {}
  }

  @Test func `in a folder that cannot be written`() async throws {
    try folder.copy("bookmarks")
    let place = folder.file("bookmarks").path
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: place)
    defer { chmod(place, 0o700) }
    try await readAll("bookmarks/store.sqlite", "bookmarks/model.xcdatamodel", "BookmarkEntity")
  }

  @Test(.timeLimit(.minutes(30)))
  func `a backup is taken back with its large values when somebody has written meanwhile`()
    async throws
  {
    try folder.copy("Library.xcdatamodeld")
    let store = try LibraryStore.make("Library.sqlite", in: folder)
    let values = folder.file(".Library_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
    // So many that copying them takes its time.
    for _ in 0..<1_000 {
      try Data("value".utf8).write(to: values.appending(path: UUID().uuidString))
    }
    // A file whose time changes looks as one that is written.
    let writer = Process()
    writer.executableURL = URL(filePath: "/bin/sh")
    writer.arguments = ["-c", "while :; do touch -c \"$0\"; done", folder.file(store).path]
    try writer.run()
    defer {
      writer.terminate()
      writer.waitUntilExit()
    }
    let result = try await folder.run("backup", store, "Copy.sqlite")
    #expect(result.status == 75, "\(result.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.contains("Copy") }, "\(names)")
  }
}
