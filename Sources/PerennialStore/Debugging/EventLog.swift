// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// Where a container's events go, and which of them.
package struct EventLog: Sendable {
  /// How much is told of statements.
  package let level: LogLevel
  /// Whether it is told what opening does to a store.
  package let tellsMigration: Bool
  /// Whether wrong uses are told where they happen.
  package let tellsConcurrency: Bool
  private let sink: @Sendable (LogEvent) -> Void

  /// A log that tells nothing by itself; warnings go to standard error.
  package static let quiet = EventLog(StoreDescription.inMemory, switches: DebugSwitches())

  /// The log of a container that has no store yet: what the process's switches say.
  package static let ofProcess = EventLog(StoreDescription.inMemory)

  /// The log of a described store.
  ///
  /// A store that says where to log, but not how much, logs statements and their times.
  package init(_ store: StoreDescription, switches: DebugSwitches = .ofProcess) {
    let usual: LogLevel = store.log == nil ? .off : .times
    level = store.logLevel ?? switches.sql ?? usual
    tellsMigration = store.log != nil || switches.migration
    tellsConcurrency = store.log != nil || switches.concurrency
    sink = store.log ?? Self.writeToStandardError
  }

  /// Tells an event.
  package func callAsFunction(_ kind: LogEvent.Kind, _ message: String) {
    sink(LogEvent(kind, message))
  }

  /// Tells events in their order.
  package func callAsFunction(_ events: [LogEvent]) {
    for event in events { sink(event) }
  }

  @Sendable private static func writeToStandardError(_ event: LogEvent) {
    // A closed stream is no reason to fail.
    try? FileHandle.standardError.write(contentsOf: Data("Perennial: \(event)\n".utf8))
  }
}

extension DebugSwitches {
  /// No switch.
  package init() { self.init(environment: [:], arguments: []) }
}
