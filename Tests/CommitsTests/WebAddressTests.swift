// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Testing

@Suite struct `The web address of a remote` {
  @Test(arguments: [
    ("https://github.com/swiftlang/swift.git", "https://github.com/swiftlang/swift"),
    ("https://github.com/swiftlang/swift/", "https://github.com/swiftlang/swift"),
    ("http://git.example.org/a/b", "https://git.example.org/a/b"),
    ("https://user:secret@github.com/a/b.git", "https://github.com/a/b"),
    ("https://token@github.com/a/b.git", "https://github.com/a/b"),
    ("https://us@er:p@ss@github.com/a/b.git", "https://github.com/a/b"),
    ("https://github.com/a/b.git?token=secret#x", "https://github.com/a/b"),
    ("https://git.example.org:8443/a/b.git", "https://git.example.org:8443/a/b"),
    ("git@github.com:a/b.git", "https://github.com/a/b"),
    ("github.com:a/b", "https://github.com/a/b"),
    ("git@github.com:/a/b.git", "https://github.com/a/b"),
    ("ssh://git@github.com/a/b.git", "https://github.com/a/b"),
    ("ssh://git@github.com:22/a/b.git", "https://github.com/a/b"),
    ("git+ssh://git@github.com/a/b", "https://github.com/a/b"),
    ("git://GitHub.com/a/b.git", "https://github.com/a/b"),
    ("git@example.org:group/sub group/ü.git", "https://example.org/group/sub%20group/%C3%BC"),
    ("https://example.org/a%20b/c", "https://example.org/a%20b/c"),
  ])
  func `is https without user and password`(remote: String, address: String) {
    #expect(WebAddress(remote: remote)?.text == address)
  }

  @Test(arguments: [
    "", "/srv/git/project.git", "../project", "./a:b", "file:///srv/git/project.git", "C:\\project",
    "https:///a/b", "https://example.org", "git@:a/b", "https://exa mple.org/a", "plain",
    "https://example.org\u{1B}/a",
  ])
  func `does not exist for a local path or without a host`(remote: String) {
    #expect(WebAddress(remote: remote) == nil)
  }

  @Test func `leads to a commit`() {
    #expect(
      WebAddress(remote: "git@github.com:a/b.git")?.commit("2f77f2fc")
        == "https://github.com/a/b/commit/2f77f2fc"
    )
  }
}
