// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import HistoryPeerKit
import Testing

@Suite("Two processes on one store")
struct TwoProcessTests {
  /// The built program, which lies beside the tests.
  private static var program: URL {
    #if canImport(Darwin)
    let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
    return tests.bundleURL.deletingLastPathComponent().appending(path: "history-peer")
    #else
    return Bundle.main.bundleURL.appending(path: "history-peer")
    #endif
  }

  @Test(.timeLimit(.minutes(3)), arguments: Peer.Mode.allCases)
  func `1H.4 two processes that merge each other's transactions end equal`(
    _ mode: Peer.Mode
  ) async throws {
    try await checkPeers(mode, "Shared.sqlite")
  }

  @Test(.timeLimit(.minutes(3)))
  func `1I.7 two processes that write one JSON file, and merge by themselves, end equal`()
    async throws
  {
    try await checkPeers(.automatic, "Shared.json")
  }

  private func checkPeers(_ mode: Peer.Mode, _ name: String) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "perennial-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: name)
    let seed = UInt64.random(in: 0..<1_000_000)
    let rounds = 40
    try await Peer.prepare(file, names: ["a", "b"])
    let peer = try await Peer(name: "a", file: file, mode: mode, seed: seed)
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    let process = Process()
    process.executableURL = Self.program
    process.arguments = ["b", "a", file.path, mode.rawValue, "\(seed + 1)", "\(rounds)"]
    process.standardOutput = try FileHandle(forWritingTo: output)
    let (end, ending) = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in ending.finish() }
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    let own = try await peer.run(rounds: rounds, others: ["b"])
    for await _ in end {}
    #expect(process.terminationStatus == 0)
    let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
    let other = text.split(separator: "\n").map(String.init)
    let fresh = try await Peer(name: "c", file: file, mode: mode, seed: 0)
    let stored = try await fresh.run(rounds: 0, others: [])
    #expect(Set(own).symmetricDifference(stored) == [], "a, seed \(seed)")
    #expect(Set(other).symmetricDifference(stored) == [], "b, seed \(seed)")
    #expect(stored.count > 10, "seed \(seed)")
  }
}
