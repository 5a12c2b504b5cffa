// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation
import Perennial
import RowTesting

/// A copy of a process must not use the connections that the original has opened, nor open the store anew, whose locks
/// SQLite would believe to have; what the original has closed before is nobody's.
///
/// A JSON store has no connections: it goes on in both.
enum ForkCheck {
  static func run(in folder: TemporaryFolder) throws -> RaceCount {
    let isFree = try opensAfterClosing(in: folder)
    let isShared = try sharesText(in: folder)
    let url = folder.url.appending(path: "forked")
    let bank = try Bank(.sqlite(url))
    try bank.found()
    _ = try bank.write("before", saves: 1) { _ in }
    let process = watched_fork()
    if process == 0 { watched_exit(useInCopy(bank, url)) }
    let status = watched_wait(process)
    // The original goes on.
    var names: [String] = []
    _ = try bank.write("after", saves: 1) { names.append($0) }
    let isKept = try bank.transfers().names.sorted() == ["after 0", "before 0"] && status == 0
    return RaceCount(forkBreachCount: [isFree, isShared, isKept].count { !$0 })
  }

  /// Whether a copy can use a store that the original has closed, which also had one that it could not open.
  private static func opensAfterClosing(in folder: TemporaryFolder) throws -> Bool {
    let url = folder.url.appending(path: "closed")
    try Bank(.sqlite(url)).found()
    let text = folder.url.appending(path: "text")
    try Data(repeating: 7, count: 10_000).write(to: text)
    guard (try? Bank(.sqlite(text))) == nil else { return false }
    let process = watched_fork()
    if process == 0 {
      failing_expect_life(60)
      watched_exit((try? Bank(.sqlite(url)).isBalanced()) == true ? 0 : 1)
    }
    return watched_wait(process) == 0
  }

  /// Whether what a copy and the original save at the same time in a JSON store, which is open in both, is there once.
  private static func sharesText(in folder: TemporaryFolder) throws -> Bool {
    let bank = try Bank(.json(folder.url.appending(path: "shared")))
    try bank.found()
    let saves = 5
    let process = watched_fork()
    if process == 0 {
      failing_expect_life(60)
      watched_exit((try? bank.write("copy", saves: saves) { _ in }) == nil ? 1 : 0)
    }
    _ = try bank.write("original", saves: saves) { _ in }
    let status = watched_wait(process)
    let names = ["copy", "original"].flatMap { name in (0..<saves).map { "\(name) \($0)" } }
    let found = try bank.transfers()
    return try status == 0 && found.names.sorted() == names && found.counted == names.count
      && bank.isBalanced()
  }

  /// What a copy of the process does: nothing that could wait for a thread which it does not have.
  ///
  /// - Returns: 0 when the store refuses everything.
  private static func useInCopy(_ bank: Bank, _ url: URL) -> Int32 {
    let uses: [() throws -> Void] = [
      { _ = try bank.isBalanced() },
      { try bank.found() },
      { _ = try bank.transfers() },
      { _ = try Bank(.sqlite(url)) },
    ]
    for use in uses {
      do throws(any Error) {
        try use()
        return 1
      } catch {
        if (error as? PerennialError)?.code != .persistentStoreOpen { return 2 }
      }
    }
    return 0
  }
}
