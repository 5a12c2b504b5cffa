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

@Suite struct `Lookups of the built program` {
  let home: TestHome

  init() throws {
    home = try TestHome()
  }

  func prepare(_ titles: String...) async throws {
    let movies = titles.map { "{\"title\": \"\($0)\", \"familyMembers\": [\"Ann\"]}" }
    try home.write(
      "{\"family\": [\"Ann\"], \"movies\": [\(movies.joined(separator: ", "))]}",
      to: "in.json"
    )
    try await home.run("import", "in.json")
  }

  static func fixture(_ name: String) throws -> Data {
    let url = Bundle.module.url(forResource: "Fixtures/\(name)", withExtension: "json")
    return try Data(contentsOf: #require(url))
  }

  @Test func `a movie gets the popularity of the first one that is found`() async throws {
    try await prepare()
    let body = try Self.fixture("tmdb-search")
    let server = try LoopbackServer { _ in LoopbackAnswer(body: body) }
    let base = server.url.absoluteString
    let added = try await home.run("add", "Ann", "The Lantern Keeper", "--base-url", base)
    #expect(added.text == "    31.4  The Lantern Keeper  (Ann)\n")
    #expect(added.errors.isEmpty)
    #expect(try await home.movies() == [PrintedMovie("The Lantern Keeper", 31.407, "Ann")])
    // What is known is not asked for again.
    try await home.run("add", "Ann", "The Lantern Keeper", "--base-url", base)
    #expect(server.requests.count == 1)
  }

  @Test func `a movie that is not found has no popularity`() async throws {
    try await prepare()
    let body = try Self.fixture("tmdb-empty")
    let server = try LoopbackServer { _ in LoopbackAnswer(body: body) }
    let added = try await home.run(
      "add",
      "Ann",
      "Alpha",
      "--json",
      "--base-url",
      server.url.absoluteString
    )
    #expect(
      added.text == #"{"title": "Alpha", "popularity": null, "familyMembers": ["Ann"]}"# + "\n"
    )
    #expect(added.errors == "The Movie Database does not know this movie.\n")
  }

  @Test(arguments: [
    "A & B", "1 + 1", "Amélie", "Ame\u{301}lie", "100%", "a=b&query=c", "50% off? #1; /\\ \"x\"",
    "映画 🎬", "%2B", "a  b",
  ])
  func `a title reaches the server as it was typed`(title: String) async throws {
    try await prepare()
    let stored = title.precomposedStringWithCanonicalMapping
    let server = try ServedMovies.start([stored: 7.5])
    try await home.run("add", "Ann", title, "--base-url", server.url.absoluteString)
    #expect(try await home.movies() == [PrintedMovie(stored, 7.5, "Ann")])
  }

  @Test func `a movie is saved before its popularity comes`() async throws {
    try await prepare()
    let gate = LoopbackGate()
    let server = try ServedMovies.start(["Alpha": 2], gate: gate)
    let run = try home.program.start(
      ["add", "Ann", "Alpha", "--base-url", server.url.absoluteString]
    )
    let program = home.program
    let seen = Locked<Data?>(nil)
    gate.whenReached {
      // Not in a task: the request is given up after a time, however busy the pool is.
      seen.value = try? program.outputWithoutTask(["list", "--json"])
      gate.open()
    }
    #expect(try await run.result().text == "     2.0  Alpha  (Ann)\n")
    let before = try JSONDecoder().decode([PrintedMovie].self, from: #require(seen.value))
    #expect(before == [PrintedMovie("Alpha", nil, "Ann")])
    #expect(try await home.movies() == [PrintedMovie("Alpha", 2, "Ann")])
  }

  @Test func `a movie stays when its lookup is interrupted`() async throws {
    try await prepare()
    let gate = LoopbackGate()
    let server = try ServedMovies.start(["Alpha": 2], gate: gate)
    let run = try home.program.start(
      ["add", "Ann", "Alpha", "--base-url", server.url.absoluteString]
    )
    let identifier = run.process.processIdentifier
    gate.whenReached { kill(identifier, SIGINT) }
    let result = try await run.result()
    gate.open()
    #expect(result.status == 2)
    #expect(result.text == "       …  Alpha  (Ann)\n")
    #expect(result.errors == "movies: cancelled\n")
    #expect(try await home.movies() == [PrintedMovie("Alpha", nil, "Ann")])
  }

  @Test func `a movie is shown when its popularity cannot be saved`() async throws {
    let store = ["--store", "json", "--store-path", "store.json"]
    let added = try await home.program.run(["family", "add", "Ann"] + store)
    try #require(added.status == 0, "\(added.errors)")
    let gate = LoopbackGate()
    let server = try ServedMovies.start(["Alpha": 2], gate: gate)
    let run = try home.program.start(
      ["add", "Ann", "Alpha", "--base-url", server.url.absoluteString] + store
    )
    let file = home.url("store.json")
    gate.whenReached {
      try? FileManager.default.removeItem(at: file)
      gate.open()
    }
    let result = try await run.result()
    #expect(result.status == 1)
    #expect(result.text == "       …  Alpha  (Ann)\n")
    #expect(result.errorLines.first?.hasPrefix("movies: error: ") == true)
  }

  static let failures: [(LoopbackAnswer, Int32, String)] = [
    (LoopbackAnswer(text: "{}").cut(after: 1), 75, "the answer of 'SERVER' ended too early"),
    (LoopbackAnswer(garbage: "x\r\n\r\n"), 75, "the answer of 'SERVER' is empty or not HTTP"),
    (LoopbackAnswer(text: "<html>"), 1, "the answer of 'SERVER' is not a search result"),
    (LoopbackAnswer(401, text: "{}"), 1, "'SERVER' does not accept the key"),
    (LoopbackAnswer(404), 1, "'SERVER' refuses the request (status 404)"),
    (LoopbackAnswer(503), 75, "'SERVER' has a problem of its own (status 503)"),
    (LoopbackAnswer(429, headers: ["Retry-After": "10"]), 75, "'SERVER' was asked too often"),
  ]

  @Test(arguments: failures.indices) func `a failed lookup keeps the movie`(
    index: Int
  ) async throws {
    let (answer, status, message) = Self.failures[index]
    try await prepare()
    let server = try LoopbackServer { _ in answer }
    let base = server.url.absoluteString
    let result = try await home.program.run("add", "Ann", "Alpha", "--base-url", base)
    #expect(result.status == status)
    #expect(result.text == "       …  Alpha  (Ann)\n")
    let shown = message.replacingOccurrences(of: "SERVER", with: base.dropFirst(7))
    #expect(result.errorLines.first == "movies: error: \(shown)")
    #expect(
      result.errorLines.last?
        .hasSuffix("The movie is saved; 'movies rate' looks its popularity up.") == true
    )
    #expect(try await home.movies() == [PrintedMovie("Alpha", nil, "Ann")])
  }

  @Test func `four movies are asked for at a time`() async throws {
    let titles = (10..<30).map { "Movie \($0)" }
    let popularities = Dictionary(uniqueKeysWithValues: titles.map { ($0, Double($0.count)) })
    let movies = titles.map { "{\"title\": \"\($0)\"}" }
    try home.write("{\"movies\": [\(movies.joined(separator: ", "))]}", to: "in.json")
    try await home.run("import", "in.json")
    let gate = LoopbackGate()
    let server = try ServedMovies.start(popularities, gate: gate)
    let run = try home.program.start(["rate", "--base-url", server.url.absoluteString])
    gate.whenReached(by: 4) { gate.open() }
    let result = try await run.result()
    #expect(result.text == "20 movies rated\n")
    #expect(result.errors.isEmpty)
    #expect(server.mostAtOnce == 4)
    #expect(try await home.movies().allSatisfy { $0.popularity == 8 })
  }

  @Test func `programs that rate the same movies at the same time do not hinder each other`()
    async throws
  {
    let movies = (10..<40).map { "{\"title\": \"Movie \($0)\"}" }
    try home.write("{\"movies\": [\(movies.joined(separator: ", "))]}", to: "in.json")
    try await home.run("import", "in.json")
    let gate = LoopbackGate()
    // Each answer is another, so that each save changes its movie.
    let server = try LoopbackServer { _ in
      let popularity = Double.random(in: 1...1_000)
      return LoopbackAnswer(text: "{\"results\": [{\"popularity\": \(popularity)}]}").held(by: gate)
    }
    let runs = try (0..<4).map { _ in
      try home.program.start(["rate", "--all", "--base-url", server.url.absoluteString])
    }
    gate.whenReached(by: 16) { gate.open() }
    for run in runs {
      let result = try await run.result()
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.text == "30 movies rated\n")
    }
    #expect(try await home.movies().allSatisfy { $0.popularity != nil })
  }

  @Test func `rate asks for what is not known, and with --all for everything`() async throws {
    try await prepare("Alpha", "Beta", "Gamma")
    let server = try ServedMovies.start(["Alpha": 1, "Beta": 2])
    let base = server.url.absoluteString
    let first = try await home.run("rate", "--base-url", base)
    #expect(first.text == "2 movies rated, 1 not found\n")
    let second = try await home.run("rate", "--base-url", base, "--json")
    #expect(second.text == #"{"total": 1, "rated": 0, "unknown": 1, "failed": 0}"# + "\n")
    #expect(server.requests.count == 4)
    try await home.run("rate", "--all", "--base-url", base)
    #expect(server.requests.count == 7)
  }

  @Test func `a rate limit ends the work, and what came before is kept`() async throws {
    try await prepare("Alpha", "Beta", "Delta", "Epsilon", "Gamma", "Zeta", "Eta", "Theta")
    let server = try LoopbackServer { request in
      guard request[query: "query"] == "Alpha" else {
        return LoopbackAnswer(429, headers: ["X-RateLimit-Reset": "1790000000"])
      }
      return LoopbackAnswer(text: #"{"results": [{"popularity": 5}]}"#)
    }
    let result = try await home.program.run("rate", "--base-url", server.url.absoluteString)
    #expect(result.status == 75)
    #expect(result.text == "1 movie rated, 7 left\n")
    #expect(result.errorLines.last == "Try again after 2026-09-21 23:13.")
    #expect(server.requests.count < 8)
    #expect(try await home.movies("--where", "popularity == 5").map(\.title) == ["Alpha"])
  }

  @Test func `a failure now and then does not end the work`() async throws {
    try await prepare("Alpha", "Beta", "Delta", "Epsilon", "Gamma", "Zeta", "Eta", "Theta")
    let server = try LoopbackServer { request in
      let answer = LoopbackAnswer(text: #"{"results": [{"popularity": 5}]}"#)
      return request[query: "query"]?.hasSuffix("eta") == true ? answer.cut(after: 4) : answer
    }
    let result = try await home.program.run("rate", "--base-url", server.url.absoluteString)
    #expect(result.status == 75)
    #expect(result.text == "5 movies rated, 3 left\n")
    #expect(server.requests.count == 8)
  }
}

/// A value behind a lock.
final class Locked<Value>: @unchecked Sendable {
  // Safe because the value is only used under the lock.
  private let lock = NSLock()
  private var stored: Value

  init(_ value: Value) { stored = value }

  var value: Value {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}
