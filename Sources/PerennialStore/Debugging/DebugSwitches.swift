// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// What the environment and the arguments of the process ask to be told.
///
/// Core Data: `-com.apple.CoreData.SQLDebug`, `-com.apple.CoreData.MigrationDebug` and
/// `-com.apple.CoreData.ConcurrencyDebug`.
package struct DebugSwitches: Sendable, Equatable {
  /// How much of the statements is logged; `nil` when nothing says it.
  package let sql: LogLevel?
  /// Whether it is logged what opening a store does to its file.
  package let migration: Bool
  /// Whether a wrong use of objects and contexts is logged where it happens.
  package let concurrency: Bool

  /// The switches of this process, read once.
  package static let ofProcess = DebugSwitches(
    environment: ProcessInfo.processInfo.environment,
    arguments: ProcessInfo.processInfo.arguments
  )

  /// The switches that variables and arguments set; an argument goes first.
  ///
  /// A number above the greatest level counts as that; what is no number counts as none.
  package init(environment: [String: String], arguments: [String]) {
    func number(_ name: String) -> Int? {
      let argument = arguments.lastIndex(of: "-com.apple.CoreData.\(name)Debug")
      if let argument, argument + 1 < arguments.count, let value = Int(arguments[argument + 1]) {
        return value
      }
      return environment["PERENNIAL_\(name.uppercased())_DEBUG"].flatMap { Int($0) }
    }
    sql = number("SQL").flatMap { LogLevel(rawValue: min(max($0, 0), LogLevel.plans.rawValue)) }
    migration = (number("Migration") ?? 0) > 0
    concurrency = (number("Concurrency") ?? 0) > 0
  }
}
