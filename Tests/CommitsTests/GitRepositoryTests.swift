// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import Foundation
import Testing

@Suite struct `Reading a repository` {
  @Test func `commits come oldest first with all their parts`() throws {
    let repository = try TestRepository()
    try repository.add([
      TestCommit("First\n", date: 1_000_000_000),
      TestCommit("Second\n\nBody.\n\n\n", person: "Bob <bob@example.org>", date: 1_100_000_000),
    ])
    let commits = try repository.commits()
    #expect(commits.map(\.message) == ["First", "Second\n\nBody."])
    #expect(commits.map(\.authorName) == ["Ann Author", "Bob"])
    #expect(commits.map(\.authorEmail) == ["ann@example.org", "bob@example.org"])
    #expect(commits.map(\.date.timeIntervalSince1970) == [1_000_000_000, 1_100_000_000])
    let ids = try repository.run(["rev-list", "--reverse", "HEAD"]).split(separator: "\n").map(
      String.init
    )
    #expect(commits.map(\.sha) == ids)
  }

  @Test(arguments: [
    "", "🎉 naïve 日本語", #"quotes ' " \ and %@ %K %s %x00"#, "tab\tand \u{1B}[31m escape",
    "-- starts with dashes", "a\r\nb",
  ])
  func `a message is read as it is`(message: String) throws {
    let repository = try TestRepository()
    try repository.add([TestCommit(message + "\n")])
    #expect(try repository.commits().map(\.message) == [message])
  }

  @Test func `a message of a megabyte is read whole`() throws {
    let repository = try TestRepository()
    let message = String(repeating: "0123456789abcde\n", count: 65_536) + "end"
    try repository.add([TestCommit("small"), TestCommit(message), TestCommit("small")])
    #expect(try repository.commits().map(\.message) == ["small", message, "small"])
  }

  @Test func `a message that is not UTF-8 is repaired`() throws {
    let repository = try TestRepository()
    try repository.add([TestCommit(bytes: [0x61, 0xFF, 0xFE, 0x62])])
    #expect(try repository.commits().map(\.message) == ["a\u{FFFD}\u{FFFD}b"])
  }

  @Test func `a message in another encoding is converted`() throws {
    let repository = try TestRepository()
    try repository.add([TestCommit(bytes: [0x63, 0x61, 0x66, 0xE9], encoding: "ISO-8859-1")])
    try repository.run(["config", "i18n.logOutputEncoding", "ISO-8859-1"])
    #expect(try repository.commits().map(\.message) == ["café"])
  }

  @Test func `a message with a NUL ends there, and the next commit is whole`() throws {
    let repository = try TestRepository()
    let raw =
      Array("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n".utf8)
      + Array("author N <n@example.org> 5 +0000\ncommitter N <n@example.org> 5 +0000\n\n".utf8)
      + Array("before\0after\n".utf8)
    try repository.add([TestCommit("first")])
    let parent = try repository.run(["rev-parse", "HEAD"]).trimmed
    let file = repository.root.appendingPathComponent("raw")
    var text = String(decoding: raw, as: UTF8.self)
    text = text.replacingOccurrences(of: "\nauthor", with: "\nparent \(parent)\nauthor")
    try Data(text.utf8).write(to: file)
    let sha = try repository.run([
      "hash-object", "-t", "commit", "-w", "--literally", file.path,
    ]).trimmed
    try repository.run(["update-ref", "refs/heads/main", sha])
    #expect(try repository.commits().map(\.message) == ["first", "before"])
  }

  @Test(arguments: [
    ("<nobody@example.org>", nil, "nobody@example.org"), ("No Address <>", "No Address", ""),
    ("<>", nil, ""), (#"Dana "Dee" O'Neil <d@x>"#, #"Dana "Dee" O'Neil"#, "d@x"),
    ("100%@ %K <p@x>", "100%@ %K", "p@x"), (#"back\slash <b@x>"#, #"back\slash"#, "b@x"),
  ])
  func `an author may lack a name or an address`(
    person: String,
    name: String?,
    email: String
  ) throws {
    let repository = try TestRepository()
    try repository.add([TestCommit("m", person: person)])
    let commit = try #require(try repository.commits().first)
    #expect(commit.authorName == name)
    #expect(commit.authorEmail == email)
  }

  @Test func `the user's configuration changes nothing`() throws {
    let repository = try TestRepository()
    try repository.add([TestCommit("one"), TestCommit("two")])
    let plain = try repository.commits()
    try repository.write("Other Name <ann@example.org>\n", to: "mailmap")
    let file = repository.root.appendingPathComponent(".gitconfig").path
    for setting in [
      ["log.showSignature", "true"], ["format.pretty", "oneline"], ["log.decorate", "full"],
      ["log.abbrevCommit", "true"], ["color.ui", "always"], ["log.mailmap", "true"],
      ["mailmap.file", repository.root.appendingPathComponent("mailmap").path],
      ["core.pager", "cat -n"], ["log.date", "relative"], ["notes.displayRef", "*"],
      ["i18n.logOutputEncoding", "UTF-16"], ["log.follow", "true"],
    ] {
      try repository.run(["config", "--file", file] + setting)
    }
    #expect(try repository.commits() == plain)
  }

  @Test func `variables from outside do not lead to another repository`() throws {
    let repository = try TestRepository()
    try repository.add([TestCommit("right")])
    let other = try TestRepository()
    try other.add([TestCommit("wrong")])
    var environment = repository.environment
    let gitFolder = other.folder.appendingPathComponent(".git").path
    environment["GIT_DIR"] = gitFolder
    environment["GIT_WORK_TREE"] = other.folder.path
    environment["GIT_OBJECT_DIRECTORY"] = gitFolder + "/objects"
    environment["GIT_INDEX_FILE"] = gitFolder + "/index"
    environment["GIT_NAMESPACE"] = "other"
    var messages: [String] = []
    try GitRepository(path: repository.folder.path, environment: environment)
      .forEachCommit { messages.append($0.message) }
    #expect(messages == ["right"])
  }

  @Test func `a reader that stops early ends git`() throws {
    struct Enough: Error {}
    let repository = try TestRepository()
    try repository.add((0..<2_000).map { TestCommit("commit \($0)") })
    var count = 0
    #expect(throws: Enough.self) {
      try repository.open().forEachCommit { _ in
        count += 1
        if count == 3 { throw Enough() }
      }
    }
    #expect(count == 3)
  }

  @Test func `merged commits are read once`() throws {
    let repository = try TestRepository()
    let git = try Git(environment: repository.environment)
    try DemoStream.write(count: 300, with: git, in: repository.folder)
    let commits = try repository.commits()
    #expect(commits.count == 300)
    #expect(Set(commits.map(\.sha)).count == 300)
  }
}

extension String {
  var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
