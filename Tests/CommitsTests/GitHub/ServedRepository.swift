// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import Synchronization

/// A repository that a loopback server shows as GitHub's REST API would.
///
/// Pages have `Link` fields and tags; a tag that was seen gives 304.
final class ServedRepository: Sendable {
  /// What a test may change while the server runs.
  struct Script {
    /// The commits as JSON objects, newest first.
    var commits: [String] = []
    /// What to answer for a page (1, 2, …) instead of the page.
    var answers: [Int: LoopbackAnswer] = [:]
    /// Holds back every page.
    var gate: LoopbackGate?
  }

  let script = Mutex(Script())

  /// Starts a server.
  func start() throws -> LoopbackServer {
    try LoopbackServer { [self] request in answer(to: request) }
  }

  /// Changes what is answered from now on.
  func change(_ body: (inout sending Script) -> Void) { script.withLock { body(&$0) } }

  private func answer(to request: LoopbackRequest) -> LoopbackAnswer {
    let script = script.withLock { $0 }
    guard request.path == "/repos/demo/history/commits" else {
      return LoopbackAnswer(404, text: #"{"message": "Not Found"}"#)
    }
    let size = request[query: "per_page"].flatMap(Int.init) ?? 30
    let page = request[query: "page"].flatMap(Int.init) ?? 1
    if let answer = script.answers[page] { return answer }
    let answer = self.answer(request, script.commits, page: page, size: size)
    return script.gate.map { answer.held(by: $0) } ?? answer
  }

  private func answer(
    _ request: LoopbackRequest,
    _ commits: [String],
    page: Int,
    size: Int
  ) -> LoopbackAnswer {
    let rows = commits.dropFirst((page - 1) * size).prefix(size)
    let body = "[\(rows.joined(separator: ","))]"
    let tag = "W/\"\(body.utf8.reduce(UInt64(5_381)) { ($0 &* 33) ^ UInt64($1) })\""
    var headers = ["ETag": tag, "Content-Type": "application/json; charset=utf-8"]
    if request.headers["if-none-match"] == tag { return LoopbackAnswer(304, headers: headers) }
    if page * size < commits.count, let host = request.headers["host"] {
      let more = request[query: "since"].map { "&since=\($0)" } ?? ""
      let next = "http://\(host)\(request.path)?per_page=\(size)\(more)&page=\(page + 1)"
      headers["Link"] = "<\(next)>; rel=\"next\", <\(next)>; rel=\"last\""
    }
    return LoopbackAnswer(headers: headers, text: body)
  }
}

/// A commit that a server shows.
struct ServedCommit {
  var number: Int
  var message = "A commit"
  /// The JSON of the git author.
  var author =
    #"{"name": "Ann Author", "email": "ann@example.org", "date": "2016-01-26T00:00:00Z"}"#
  /// The JSON of the git committer; by default the date grows with the number.
  var committer: String?

  /// The commit's id: its number with leading zeros.
  var sha: String { Self.sha(number) }

  static func sha(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: 40 - digits.count) + digits
  }

  var json: String {
    let date = Date(timeIntervalSince1970: Double(1_400_000_000 + number * 60))
      .formatted(.iso8601)
    let committer = committer ?? #"{"name": "GitHub", "email": "", "date": "\#(date)"}"#
    return """
      {"sha": "\(sha)", "node_id": "", "author": null, "committer": null, "parents": [],
       "html_url": "https://git.example.org/demo/history/commit/\(sha)",
       "commit": {"message": "\(message)", "author": \(author), "committer": \(committer)}}
      """
  }

  /// The JSON of commits with successive numbers, newest first.
  static func all(_ numbers: ClosedRange<Int>) -> [String] {
    numbers.reversed().map { ServedCommit(number: $0).json }
  }
}
