// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// How much of its statements a store logs; each level adds to the one below.
///
/// The environment variable `PERENNIAL_SQL_DEBUG` and the launch argument
/// `-com.apple.CoreData.SQLDebug` give the level by its number.
///
/// Core Data: `-com.apple.CoreData.SQLDebug`.
public enum LogLevel: Int, Sendable, CaseIterable, Comparable {
  /// Nothing.
  case off = 0
  /// The statements, without the values that are bound to them.
  case statements = 1
  /// How long each statement took, and how many rows it gave.
  case times = 2
  /// The values, which may be private, in place of the parameters.
  case values = 3
  /// The query plans.
  case plans = 4

  /// Whether one level logs less than another.
  ///
  /// - Parameters:
  ///   - left: A level.
  ///   - right: Another level.
  /// - Returns: `true` when the right level logs more than the left one.
  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
