// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One line of a store's log.
///
/// ```swift
/// var store = StoreDescription.sqlite(url)
/// store.log = { event in print(event.kind, event.message) }
/// ```
public struct LogEvent: Sendable, Hashable {
  /// What a line is about.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A statement; from ``LogLevel/values`` on, with the values of its parameters.
    case sql
    /// How long a statement took and how many rows it gave.
    case annotation
    /// A step of a statement's plan.
    case details
    /// What opening a store does to its file.
    case migration
    /// A wrong use of objects and contexts.
    case concurrency
    /// Something that costs time needlessly, or that is probably a mistake in the model.
    case warning
  }

  /// What the line is about.
  public let kind: Kind
  /// The line without its kind.
  public let message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

extension LogEvent {
  /// How long a statement took, as Core Data writes it, and how many rows it gave.
  package static func time(_ seconds: Double, rows: Int) -> LogEvent {
    let units = Int((seconds * 10_000).rounded())
    let fraction = String(units % 10_000)
    let digits = String(repeating: "0", count: 4 - fraction.count) + fraction
    let time = "sql execution time: \(units / 10_000).\(digits)s"
    let count = rows == 1 ? "1 row" : "\(rows) rows"
    return LogEvent(.annotation, rows > 0 ? "\(time) for \(count)" : time)
  }
}

extension LogEvent: CustomStringConvertible {
  /// The line as Core Data writes it, without the name in front.
  public var description: String { "\(kind.rawValue): \(message)" }
}

extension LogEvent.Kind: CustomStringConvertible {
  /// The word in front of a message.
  public var description: String { rawValue }
}
