// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// What hand-written code makes of a row: one instance of a final class.
final class RawCommit {
  let key: Int64
  let version: Int64
  let author: Int64
  let date: Date
  var message: String
  let sha: String
  let url: String

  @inline(__always)
  init(_ row: RawStatement) {
    key = row.integer(0)
    version = row.integer(1)
    author = row.integer(2)
    date = row.date(3)
    message = row.text(4)
    sha = row.text(5)
    url = row.text(6)
  }
}

/// What it makes of a key alone.
final class RawFault {
  let key: Int64

  @inline(__always)
  init(key: Int64) {
    self.key = key
  }
}

/// What it makes of an author's, for the relationships.
final class RawAuthor {
  let key: Int64
  let name: String

  @inline(__always)
  init(_ row: RawStatement) {
    key = row.integer(0)
    name = row.text(1)
  }
}

/// A commit as a struct, kept in an array of structs.
struct RawCommitValue {
  let key: Int64
  let version: Int64
  let author: Int64
  let date: Date
  let message: String
  let sha: String
  let url: String

  @inline(__always)
  init(_ row: RawStatement) {
    key = row.integer(0)
    version = row.integer(1)
    author = row.integer(2)
    date = row.date(3)
    message = row.text(4)
    sha = row.text(5)
    url = row.text(6)
  }
}
