// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialStore
import Testing

@Suite("URLs without their passwords")
struct PasswordTests {
  @Test(
    arguments: [
      ("postgres://ada:secret@db/library", "postgres://ada@db/library"),
      ("postgres://ada:se%3Acr@et@db/library", "postgres://ada@db/library"),
      ("postgres://ada:se/cr#et@db/library", "postgres://ada@db/library"),
      ("postgres://ada:se?cret=x@db/library", "postgres://ada@db/library"),
      ("postgres://ada:12?secret=x@db/library?pool=2", "postgres://ada@db/library?pool=2"),
      ("postgres://:secret@db", "postgres://@db"),
      ("postgres://ada@db:5432/library", "postgres://ada@db:5432/library"),
      (
        "postgres://db:5432/library?application_name=a@b",
        "postgres://db:5432/library?application_name=a@b"
      ),
      ("postgres://db/library?password=secret", "postgres://db/library"),
      (
        "postgres://db?pool=2&password=secret&sslmode=require",
        "postgres://db?pool=2&sslmode=require"
      ),
      (
        "postgres://srv.example:5432?user=ada@srv&password=secret",
        "postgres://srv.example:5432?user=ada@srv"
      ),
      ("postgres://db:5432?user=ada&password=se@cret", "postgres://db:5432?user=ada"),
      ("postgres://db:5432?usr=ada&password=se@cret", "postgres://db:5432?usr=ada"),
      ("postgres://db:5432?usr=ada@srv&password=secret", "postgres://db@srv"),
      ("postgres://[::1]?user=a@b", "postgres://[::1]?user=a@b"),
      ("postgres://[::1]:1,two:2?user=a@b", "postgres://[::1]:1,two:2?user=a@b"),
      ("postgres://srv:5432?user=ada@srv", "postgres://srv:5432?user=ada@srv"),
      ("postgres://ada:top?host@db/library", "postgres://ada@db/library"),
      ("postgres://ada:12?host@db/library", "postgres://ada@db/library"),
      ("postgres://ada:se?user=cret@db/library", "postgres://ada@db/library"),
      ("postgres://ada:se?x&mypassword@db/library", "postgres://ada@db/library"),
      ("postgres://ada:s@e?cret=x@db/library", "postgres://ada@db/library"),
      ("postgres://ada:12/se?cret=x@db/library", "postgres://ada@db/library"),
      ("postgres://db?sslPassword=secret&pass%77ord=secret&pool=2", "postgres://db?pool=2"),
      ("postgres://a:secret@one:1,two:2/library", "postgres://a@one:1,two:2/library"),
      ("postgres://", "postgres://"),
      ("/tmp/a:b@c.sqlite", "/tmp/a:b@c.sqlite"),
      ("", ""),
    ]
  )
  func `the password goes, everything else stays`(_ text: String, _ expected: String) {
    #expect(URL.withoutPassword(text) == expected)
  }

  @Test func `a file's URL stays as it is`() {
    let url = URL(filePath: "/tmp/a:b@c?password=d.sqlite")
    #expect(url.withoutPassword == url)
  }
}
