// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import LoopbackServer
import Testing

@Suite struct `The HTTP client` {
  /// Patient: a test's server is silent as long as other tests keep the processors busy.
  static let client = HTTPClient(userAgent: "tests", timeout: 1_800)

  /// What the client makes of an answer.
  func answer(_ answer: LoopbackAnswer) async throws -> HTTPAnswer {
    let server = try LoopbackServer { _ in answer }
    return try await Self.client.get(server.url)
  }

  @Test func `an answer has a status, fields without regard to capitals, and a body`() async throws
  {
    let sent = LoopbackAnswer(418, headers: ["X-Kind": "Tea", "ETag": "W/\"1\""], text: "short")
    let answer = try await answer(sent)
    #expect(answer.status == 418)
    #expect(answer[field: "x-kind"] == "Tea")
    #expect(answer[field: "etag"] == "W/\"1\"")
    #expect(answer[field: "missing"] == nil)
    #expect(String(decoding: answer.body, as: UTF8.self) == "short")
  }

  @Test func `a request has the program's name and the given fields`() async throws {
    let server = try LoopbackServer { _ in LoopbackAnswer() }
    _ = try await Self.client.get(server.url, fields: ["If-None-Match": "\"1\""])
    let request = try #require(server.requests.first)
    #expect(request.method == "GET")
    #expect(request.headers["user-agent"] == "tests")
    #expect(request.headers["if-none-match"] == "\"1\"")
  }

  @Test func `an answer without body is an answer`() async throws {
    let notModified = try await answer(LoopbackAnswer(304, headers: ["ETag": "\"1\""]))
    #expect(notModified.status == 304)
    #expect(notModified.body.isEmpty)
  }

  static let broken: [(LoopbackAnswer, String)] = [
    (LoopbackAnswer(text: "complete").cut(after: 3), "ended too early"),
    (LoopbackAnswer(headers: ["Content-Length": "20"], text: "short"), "ended too early"),
    (LoopbackAnswer.hangUp, "is empty or not HTTP"),
    (LoopbackAnswer(garbage: "this is not HTTP\r\n\r\n"), "is empty or not HTTP"),
  ]

  @Test(arguments: broken.indices)
  func `an answer that is cut off or garbage is a failure for now`(index: Int) async throws {
    let (sent, message) = Self.broken[index]
    let failure = try #require(await failure(sent))
    #expect(failure.message.hasPrefix("the answer of '127.0.0.1:"))
    #expect(failure.message.hasSuffix(message))
    #expect(failure.status == .tryLater)
    #expect(!failure.advice.isEmpty)
  }

  private func failure(_ sent: LoopbackAnswer) async -> CommandFailure? {
    do {
      _ = try await answer(sent)
      return nil
    } catch {
      return error as? CommandFailure
    }
  }

  @Test func `a port where nobody listens is a failure for now`() async throws {
    let url = try LoopbackServer { _ in LoopbackAnswer() }.url
    await #expect {
      try await Self.client.get(url)
    } throws: { error in
      let failure = error as? CommandFailure
      return failure?.status == .tryLater
        && failure?.message == "there is no connection to '\(url.shownServer)'"
    }
  }

  @Test func `a redirection is followed on the same server only`() async throws {
    let other = try LoopbackServer { _ in LoopbackAnswer(text: "elsewhere") }
    let server = try LoopbackServer { request in
      switch request.path {
      case "/moved": LoopbackAnswer(301, headers: ["Location": "/here"])
      case "/here": LoopbackAnswer(text: "here")
      default:
        LoopbackAnswer(302, headers: ["Location": other.url.absoluteString], text: "It moved.")
      }
    }
    let near = try await Self.client.get(server.url.appendingPathComponent("moved"))
    #expect(String(decoding: near.body, as: UTF8.self) == "here")
    let far = try await Self.client.get(server.url.appendingPathComponent("far"))
    #expect(far.status == 302)
    #expect(other.requests.isEmpty)
  }

  @Test func `cancelling the task ends a slow request at once`() async throws {
    let gate = LoopbackGate()
    let server = try LoopbackServer { _ in LoopbackAnswer(text: "late").held(by: gate) }
    let task = Task { try await Self.client.get(server.url) }
    await gate.isReached()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    gate.open()
  }

  @Test func `a slow answer arrives when the server lets it go`() async throws {
    let gate = LoopbackGate()
    let server = try LoopbackServer { _ in LoopbackAnswer(text: "late").held(by: gate) }
    let task = Task { try await Self.client.get(server.url) }
    await gate.isReached()
    gate.open()
    #expect(try await task.value.body == Data("late".utf8))
  }
}
