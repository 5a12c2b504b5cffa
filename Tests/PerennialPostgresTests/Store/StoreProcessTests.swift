// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialPostgres
import RandomTesting
import Testing

/// Several programs that raise the same counters; `make test-postgres-processes` runs more of them, for longer.
@Suite("Processes on one store on PostgreSQL", .needsServer, .serialized)
struct StoreProcessTests {
  private static let processes = number("PERENNIAL_POSTGRES_PROCESSES") ?? 4
  private static let saves = number("PERENNIAL_POSTGRES_SAVES") ?? 50

  private static func number(_ name: String) -> Int? {
    PropertyRuns.environment[name].flatMap { Int($0) }
  }

  /// The built program, which lies beside the tests.
  private static var program: URL {
    #if canImport(Darwin)
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
    return tests.bundleURL.deletingLastPathComponent().appending(path: "counter-peer")
    #else
    return Bundle.main.bundleURL.appending(path: "counter-peer")
    #endif
  }

  /// A program that has been started, and the file with what the store has acknowledged.
  private struct Peer {
    let process = Process()
    let output: URL
    let ending: AsyncStream<Void>

    init(_ url: URL, name: String, saves: Int, in folder: URL) throws {
      output = folder.appending(path: name)
      try Data().write(to: output)
      process.executableURL = program
      process.arguments = [url.absoluteString, name, "\(saves)"]
      process.standardOutput = try FileHandle(forWritingTo: output)
      let (end, ending) = AsyncStream<Void>.makeStream()
      process.terminationHandler = { _ in ending.finish() }
      self.ending = end
      try process.run()
    }

    /// The steps that were acknowledged, as soon as the program has ended.
    func steps() async throws -> [String] {
      for await _ in ending {}
      try #require(process.terminationStatus == 0)
      return try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map(String.init)
    }
  }

  @Test(.timeLimit(.minutes(60)), arguments: [false, true])
  func `every save that is acknowledged is there, once`(cutting: Bool) async throws {
    let place = try StorePlace()
    let application = TestServer.uniqueName("p")
    let url = try place.url(parameters: "&application_name=\(application)")
    let folder = FileManager.default.temporaryDirectory.appending(path: application)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try await Peer(url, name: "first", saves: 0, in: folder).steps() == [])

    let peers = try (0..<Self.processes).map { number in
      try Peer(url, name: "\(number)", saves: Self.saves, in: folder)
    }
    defer { for peer in peers where peer.process.isRunning { peer.process.terminate() } }
    let total = Self.processes * Self.saves
    if cutting { try await cut(application, place, total, peers) }
    var steps: [String] = []
    for peer in peers { steps += try await peer.steps() }

    let expected = (0..<Self.processes).flatMap { peer in
      (0..<Self.saves).map { "\(peer) \($0)" }
    }
    #expect(steps.sorted() == expected.sorted())
    let connection = try place.connect()
    let stored = try connection.run("SELECT zname FROM zcounterstep")
    #expect((0..<stored.count).map { stored.text($0, 0) }.sorted() == expected.sorted())
    // Each counter has been raised as often as steps say, and the log has each save.
    let wrong = try place.number(
      """
      SELECT count(*) FROM zsharedcounter AS c WHERE zvalue
      <> (SELECT count(*) FROM zcounterstep AS s WHERE s.zcounter = c.zname)
      """
    )
    #expect(wrong == 0)
    #expect(try place.number("SELECT sum(zvalue)::bigint FROM zsharedcounter") == total)
    #expect(try place.number("SELECT count(*) FROM perennial_log") == total + 1)
    #expect(try place.number("SELECT max(number) FROM perennial_log") == total + 1)
  }

  /// Ends some connection whenever some more saves are done, until few are left.
  private func cut(
    _ application: String,
    _ place: StorePlace,
    _ total: Int,
    _ peers: [Peer]
  ) async throws {
    let connection = try place.connect()
    var cutAt = 0
    while peers.contains(where: \.process.isRunning), cutAt < total * 9 / 10 {
      let done = Int(try connection.run("SELECT number FROM perennial_clock").integer(0, 0))
      guard done >= cutAt + 5 else {
        await Task.yield()
        continue
      }
      cutAt = done
      _ = try connection.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1
        ORDER BY random() LIMIT 1
        """,
        [.text(application)]
      )
    }
  }
}
#endif
