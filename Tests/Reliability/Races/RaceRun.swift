// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// One store, written by so many processes at the same time, and what is in it at the end.
struct RaceRun {
  let kind: RaceStore
  let store: URL
  /// The contexts, readers and processes; those of all processes together.
  let contextCount: Int
  let readerCount: Int
  let processCount: Int
  /// How often each context saves.
  let saves: Int

  func run() throws -> RaceCount {
    let bank = try Bank(kind.description(store))
    try bank.found()
    let children = try (0..<processCount).map { try start("\($0)") }
    var count = RaceCount()
    var acknowledged: [String] = []
    for child in children { try read(child, &count, &acknowledged) }
    let (names, counted) = try bank.transfers()
    count.saveCount = acknowledged.count
    count.lostCount = Set(acknowledged).subtracting(names).count
    count.surplusCount = names.count - Set(acknowledged).intersection(names).count
    if acknowledged.count != contextCount * saves || counted != names.count { count.tornCount += 1 }
    if try !bank.isBalanced() { count.tornCount += 1 }
    return count
  }

  /// A process of its own, and what it writes.
  private func start(_ name: String) throws -> (process: Process, output: Pipe) {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [
      RacesTrial.name, "--child", kind.rawValue, store.path(), "\(contextCount / processCount)",
      "\(readerCount / processCount)", "\(saves)", name,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    return (process, output)
  }

  private func read(
    _ child: (process: Process, output: Pipe),
    _ count: inout RaceCount,
    _ acknowledged: inout [String]
  ) throws {
    let text = String(
      decoding: try child.output.fileHandleForReading.readToEnd() ?? Data(),
      as: UTF8.self
    )
    child.process.waitUntilExit()
    guard child.process.terminationStatus == 0 else {
      throw UsageError(
        message:
          "a process of the race ended with status \(child.process.terminationStatus)\n\(text)"
      )
    }
    var writerCount: Int?
    for line in text.split(separator: "\n") {
      let words = line.dropFirst(2).split(separator: " ").compactMap { Int($0) }
      switch line.first {
      case "+": acknowledged.append(String(line.dropFirst(2)))
      case "=":
        count.conflictCount += words[0]
        count.readCount += words[1]
        count.tornCount += words[2]
      case "w": writerCount = words[0]
      default: throw UsageError(message: "a process of the race said '\(line)'")
      }
    }
    guard kind == .sqlite else { return }
    guard let writerCount, writerCount > 0 else {
      throw UsageError(message: "a process of the race has not seen its writer")
    }
    count.surplusWriterCount += writerCount - 1
  }
}
