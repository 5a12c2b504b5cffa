// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import ProgramTesting
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite struct `Imports from a GitHub that fails` {
  let home: GitHubHome

  init() throws {
    home = try GitHubHome()
  }

  /// A page that fails, the exit code, and the beginning of the error's text, without the server.
  struct Failing: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var answer: LoopbackAnswer
    var status: Int32 = 1
    var message: String
  }

  static let failing: [Failing] = [
    Failing(
      testDescription: "cut off",
      answer: LoopbackAnswer(text: "[{}]").cut(after: 2),
      status: 75,
      message: "the answer of 'SERVER' ended too early"
    ),
    Failing(
      testDescription: "a wrong length",
      answer: LoopbackAnswer(headers: ["Content-Length": "500"], text: "[]"),
      status: 75,
      message: "the answer of 'SERVER' ended too early"
    ),
    Failing(
      testDescription: "no HTTP",
      answer: LoopbackAnswer(garbage: "hello\r\n\r\n"),
      status: 75,
      message: "the answer of 'SERVER' is empty or not HTTP"
    ),
    Failing(
      testDescription: "hung up",
      answer: .hangUp,
      status: 75,
      message: "the answer of 'SERVER' "
    ),
    Failing(
      testDescription: "no JSON",
      answer: LoopbackAnswer(text: "<html>"),
      message: "the answer of 'SERVER' is not a list of commits"
    ),
    Failing(
      testDescription: "other JSON",
      answer: LoopbackAnswer(text: "[{\"sha\": \"x\"}]"),
      message: "the answer of 'SERVER' is not a list of commits"
    ),
    Failing(
      testDescription: "not found",
      answer: LoopbackAnswer(404, text: "{}"),
      message: "'SERVER' has no repository 'demo/history', or does not show it to everybody"
    ),
    Failing(
      testDescription: "a wrong token",
      answer: LoopbackAnswer(401),
      message: "'SERVER' does not accept the token"
    ),
    Failing(
      testDescription: "refused",
      answer: LoopbackAnswer(403, text: #"{"message": "no\u001b[31mcolour"}"#),
      message: "'SERVER' refuses the request (status 403): no\\u{1B}[31mcolour"
    ),
    Failing(
      testDescription: "broken",
      answer: LoopbackAnswer(502),
      status: 75,
      message: "'SERVER' has a problem of its own (status 502)"
    ),
    Failing(
      testDescription: "moved to another server",
      answer: LoopbackAnswer(302, headers: ["Location": "http://elsewhere.example/"]),
      message: "'SERVER' sends to another address"
    ),
    Failing(
      testDescription: "another server",
      answer: LoopbackAnswer(
        headers: ["Link": "<http://elsewhere.example/2>; rel=\"next\""],
        text: "[]"
      ),
      message: "the next page of 'SERVER' is on another server, 'elsewhere.example'"
    ),
  ]

  @Test(arguments: failing) func `a page that fails is explained, and nothing is saved`(
    failing: Failing
  ) async throws {
    home.served.change {
      $0.commits = ServedCommit.all(1...150)
      $0.answers[2] = failing.answer
    }
    let result = try await home.importing()
    #expect(result.status == failing.status)
    #expect(result.text.isEmpty)
    let name = home.server.url.absoluteString.replacingOccurrences(of: "http://", with: "")
    let message = failing.message.replacingOccurrences(of: "SERVER", with: name)
    #expect(result.errorLines.first?.hasPrefix("commits: error: \(message)") == true)
    #expect(result.errorLines.count == 2)
    #expect(!home.hasStore)

    home.served.change { $0.answers = [:] }
    #expect(try await home.counts() == [150, 150, 0])
  }

  @Test func `pages without end are noticed`() async throws {
    let next = "<\(home.server.url.absoluteString)/repos/demo/history/commits?page=2>; rel=\"next\""
    home.served.change {
      for page in 1...2 { $0.answers[page] = LoopbackAnswer(headers: ["Link": next], text: "[]") }
    }
    let result = try await home.importing()
    #expect(result.status == 1)
    #expect(result.errorLines.first?.hasSuffix("have no end") == true)
  }

  @Test(arguments: [403, 429]) func `a rate limit says when to try again, in local time`(
    status: Int
  ) async throws {
    let body = try GitHubHome.fixture("github-rate-limited")
    home.served.change {
      $0.commits = ServedCommit.all(1...150)
      $0.answers[2] = LoopbackAnswer(
        status,
        headers: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1790000000"],
        body: body
      )
    }
    let result = try await home.importing()
    #expect(result.status == 75)
    // 2026-09-21T14:13:20Z; the program's zone is Tokyo's.
    #expect(
      result.errorLines.last
        == "Try again after 2026-09-21 23:13. With a token it allows more: '--token-env NAME'."
    )
    #expect(!home.hasStore)
  }

  @Test func `a failed import leaves an older one as it was`() async throws {
    home.served.change { $0.commits = ServedCommit.all(1...150) }
    _ = try await home.counts()
    home.served.change {
      $0.commits = ServedCommit.all(1...400)
      $0.answers[3] = .hangUp
    }
    #expect(try await home.importing().status == 75)
    #expect(try await home.listed().count == 150)
    home.served.change { $0.answers = [:] }
    #expect(try await home.counts() == [400, 250, 0])
  }

  @Test(arguments: [SIGINT, SIGTERM]) func `an interruption ends a slow import`(
    number: Int32
  ) async throws {
    let gate = LoopbackGate()
    home.served.change {
      $0.commits = ServedCommit.all(1...5)
      $0.gate = gate
    }
    let run = try home.program.start(home.arguments)
    let identifier = run.process.processIdentifier
    gate.whenReached { kill(identifier, number) }
    let result = try await run.result()
    #expect(result.status == 2)
    #expect(result.errors == "commits: cancelled\n")
    #expect(!home.hasStore)
    gate.open()
  }

  @Test func `a slow server is waited for`() async throws {
    let gate = LoopbackGate()
    home.served.change {
      $0.commits = ServedCommit.all(1...5)
      $0.gate = gate
    }
    let run = try home.program.start(home.arguments)
    gate.whenReached { gate.open() }
    let result = try await run.result()
    #expect(try result.decoded(as: PrintedSummary.self).counts == [5, 5, 0])
  }

  @Test func `nobody at the address is a failure for now`() async throws {
    let url = try LoopbackServer { _ in .hangUp }.url
    let result = try await home.program.run(
      "import",
      "--github",
      "demo/history",
      "--base-url",
      url.absoluteString
    )
    #expect(result.status == 75)
    #expect(result.errorLines.count == 2)
  }

  @Test func `a token is sent where it was meant to go`() async throws {
    var program = home.program
    program.environment["GITHUB_TOKEN"] = "for-github-only"
    program.environment["MY_TOKEN"] = "secret"
    _ = try await program.run(home.arguments)
    #expect(home.server.requests.last?.headers["authorization"] == nil)
    _ = try await program.run(home.arguments + ["--token-env", "MY_TOKEN"])
    #expect(home.server.requests.last?.headers["authorization"] == "Bearer secret")
    let missing = try await program.run(home.arguments + ["--token-env", "NO_TOKEN"])
    #expect(missing.status == 64)
    #expect(
      missing.errorLines.first == "commits: error: the environment variable 'NO_TOKEN' is not set"
    )
  }
}
