// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// This program once more, as a process that tells what it does until it is killed.
final class KilledProgram {
  private let process = Process()
  private let output = Pipe()
  private var text = Data()
  /// How many events it has told.
  private(set) var eventCount = 0

  init(_ arguments: [String]) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
  }

  /// Waits for what it tells next.
  ///
  /// - Returns: The event; `nil` when the program has ended.
  /// - Throws: `TrialFailure` with what the program says when that is no event.
  func next() throws -> ShopEvent? {
    while true {
      if let event = try firstEvent() { return event }
      let bytes = output.fileHandleForReading.availableData
      if bytes.isEmpty { return nil }
      text += bytes
    }
  }

  /// Kills it.
  ///
  /// - Returns: What it has told before.
  /// - Throws: `TrialFailure` when it had ended by itself.
  func kill() throws -> [ShopEvent] {
    Foundation.kill(process.processIdentifier, SIGKILL)
    var events: [ShopEvent] = []
    while let event = try next() { events.append(event) }
    process.waitUntilExit()
    guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
      throw TrialFailure("the program ended by itself, with \(process.terminationStatus)")
    }
    return events
  }

  private func firstEvent() throws -> ShopEvent? {
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = String(decoding: text[..<end], as: UTF8.self)
    text = Data(text[(end + 1)...])
    guard let event = ShopEvent(line: line) else {
      throw TrialFailure("the program says: \(line)")
    }
    eventCount += 1
    return event
  }
}
