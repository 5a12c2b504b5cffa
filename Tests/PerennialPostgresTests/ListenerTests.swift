// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialPostgres
import Testing

@Suite("Waiting for notifications", .needsServer)
struct ListenerTests {
  private let speaker: PostgresConnection

  init() throws { speaker = try TestServer.connect() }

  private func notify(_ channel: String, _ payload: String) throws {
    _ = try speaker.run("SELECT pg_notify($1, $2)", [.text(channel), .text(payload)])
  }

  @Test func `notifications come in their order, of the channels that were asked for`() async throws
  {
    let channel = TestServer.uniqueName("Ch\"annel")
    let other = TestServer.uniqueName("other")
    let listener = try PostgresListener(try TestServer.location(), channels: [channel, "second"])
    defer { listener.stop() }
    var events = listener.events.makeAsyncIterator()
    #expect(await events.next() == .listening)
    try notify(channel, "1")
    try notify(other, "unheard")
    try notify(channel, "")
    try notify("second", "ä")
    #expect(await events.next() == .notification(channel: channel, payload: "1"))
    #expect(await events.next() == .notification(channel: channel, payload: ""))
    #expect(await events.next() == .notification(channel: "second", payload: "ä"))
  }

  @Test func `a listener that is cut off says so, and listens again`() async throws {
    let channel = TestServer.uniqueName("channel")
    let listener = try PostgresListener(try TestServer.location(), channels: [channel])
    defer { listener.stop() }
    var events = listener.events.makeAsyncIterator()
    for round in 1...3 {
      #expect(await events.next() == .listening)
      try notify(channel, "\(round)")
      #expect(await events.next() == .notification(channel: channel, payload: "\(round)"))
      if round == 3 { break }
      let process = try #require(listener.processID)
      try TestServer.terminate(process, by: speaker)
      guard case .lost(let failure) = await events.next() else { throw Missing() }
      #expect(failure.kind == .connectionLost)
    }
  }

  @Test func `a listener waits for a server that is away`() async throws {
    let server = try OwnServer()
    let listener = try PostgresListener(server.location, channels: ["changes"])
    defer { listener.stop() }
    var events = listener.events.makeAsyncIterator()
    #expect(await events.next() == .listening)
    try server.crash()
    guard case .lost(let lost) = await events.next() else { throw Missing() }
    #expect(lost.kind == .connectionLost)
    guard case .lost(let refused) = await events.next() else { throw Missing() }
    #expect(refused.kind == .connecting)
    try server.restart()
    var event = await events.next()
    while case .lost = event { event = await events.next() }
    #expect(event == .listening)
    let speaker = try PostgresConnection.open(server.location)
    _ = try speaker.run("SELECT pg_notify('changes', 'after')")
    #expect(await events.next() == .notification(channel: "changes", payload: "after"))
  }

  @Test func `a listener that is stopped ends its events`() async throws {
    let listener = try PostgresListener(try TestServer.location(), channels: ["x"])
    var events = listener.events.makeAsyncIterator()
    #expect(await events.next() == .listening)
    listener.stop()
    #expect(await events.next() == nil)
  }

  @Test func `a listener ends when its reader's task is cancelled`() async throws {
    let listener = try PostgresListener(try TestServer.location(), channels: ["x"])
    let task = Task {
      for await event in listener.events where event == .listening { return true }
      return false
    }
    #expect(await task.value)
    let process = try #require(listener.processID)
    let reader = Task { for await _ in listener.events {} }
    reader.cancel()
    await reader.value
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1"
    while try speaker.run(sql, [.integer(Int64(process))]).integer(0, 0) > 0 {}
  }
}
#endif
