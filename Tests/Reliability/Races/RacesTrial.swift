// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation
import Perennial
import RowTesting

/// Contexts of several threads and processes that write one store while others read it.
struct RacesTrial: Trial {
  static let name = "races"
  static let about = "contexts of many threads and processes on one store"
  static let usualCount =
    "--count counts the saves of each context: 100, or 4 with --short. The seed decides nothing here."

  private static let contextCount = 100
  private static let readerCount = 8
  private static let processCount = 4

  static func run(_ options: TrialOptions) throws -> Verdict {
    let saves = options.count(usually: 100, short: 4)
    guard watched_begin() != 0 else { throw UsageError(message: "SQLite watches no connections") }
    let folder = try TemporaryFolder()
    var total = RaceCount()
    total += try ForkCheck.run(in: folder)
    for kind in RaceStore.allCases {
      for processes in [1, processCount] {
        let store = folder.url.appending(path: "\(kind)-\(processes)")
        let run = RaceRun(
          kind: kind,
          store: store,
          contextCount: contextCount,
          readerCount: readerCount,
          processCount: processes,
          // A JSON store writes everything with each save.
          saves: kind == .json ? max(1, saves / 10) : saves
        )
        let count = try run.run()
        Reliability.say("races: \(kind), \(processes) processes: \(count)")
        total += count
      }
    }
    return Verdict(counts: "\(total)", isKept: total.isKept)
  }

  static func child(_ arguments: [String]) throws {
    guard arguments.count == 6, let kind = RaceStore(rawValue: arguments[0]),
      let contexts = Int(arguments[2]), let readers = Int(arguments[3]),
      let saves = Int(arguments[4])
    else { throw UsageError(message: "races --child KIND STORE CONTEXTS READERS SAVES NAME") }
    _ = watched_begin()
    let bank = try Bank(kind.description(URL(filePath: arguments[1])))
    let party = RaceParty(
      bank: bank,
      name: arguments[5],
      contextCount: contexts,
      readerCount: readers,
      saves: saves
    )
    let result = try party.run()
    for name in result.acknowledged { Reliability.say("+ \(name)") }
    Reliability.say("= \(result.conflictCount) \(result.readCount) \(result.tornCount)")
    if case .sqlite = kind {
      Reliability.say("w \(watched_writer_count(arguments[1]))")
    }
  }
}

/// The stores that are written.
enum RaceStore: String, CaseIterable {
  case sqlite
  case json

  func description(_ url: URL) -> StoreDescription {
    switch self {
    case .sqlite: .sqlite(url)
    case .json: .json(url)
    }
  }
}
