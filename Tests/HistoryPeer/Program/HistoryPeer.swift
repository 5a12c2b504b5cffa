// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import HistoryPeerKit

/// One peer as a process of its own: `history-peer NAME OTHER FILE MODE SEED ROUNDS`.
@main
struct HistoryPeer {
  @MainActor
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 7, let mode = Peer.Mode(rawValue: arguments[4]),
      let seed = UInt64(arguments[5]), let rounds = Int(arguments[6])
    else { exit(2) }
    let peer = try Peer(
      name: arguments[1],
      file: URL(filePath: arguments[3]),
      mode: mode,
      seed: seed
    )
    let digest = try await peer.run(rounds: rounds, others: [arguments[2]])
    FileHandle.standardOutput.write(Data(digest.joined(separator: "\n").utf8))
  }
}
