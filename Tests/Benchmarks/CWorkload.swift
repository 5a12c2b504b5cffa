// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import BenchmarksRawC
import Foundation

/// The workload in the form that the raw C loops take: arrays of structs with pointers to text.
///
/// Safe because the buffers are written once, in `init`, and live as long as this object.
final class CWorkload {
  let authors: UnsafeMutableBufferPointer<rawc_author>
  let commits: UnsafeMutableBufferPointer<rawc_commit>
  private var texts: [UnsafeMutableBufferPointer<CChar>] = []

  init(_ workload: Workload) {
    authors = .allocate(capacity: workload.authors.count)
    commits = .allocate(capacity: workload.commits.count)
    for (index, author) in workload.authors.enumerated() {
      let value = rawc_author(email: keep(author.email), name: keep(author.name))
      authors.initializeElement(at: index, to: value)
    }
    for (index, commit) in workload.commits.enumerated() {
      let value = rawc_commit(
        sha: keep(commit.sha),
        message: keep(commit.message),
        url: keep(commit.url),
        date: commit.date.timeIntervalSinceReferenceDate,
        author: Int64(commit.author + 1)
      )
      commits.initializeElement(at: index, to: value)
    }
  }

  deinit {
    authors.deallocate()
    commits.deallocate()
    for text in texts { text.deallocate() }
  }

  /// A copy of `text` that lives as long as this object.
  func keep(_ text: String) -> rawc_text {
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.utf8.count)
    _ = copy.initialize(from: text.utf8.lazy.map { CChar(bitPattern: $0) })
    texts.append(copy)
    return rawc_text(bytes: copy.baseAddress, count: Int32(copy.count))
  }
}
