// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a change of a model does to what is stored.
public enum MigrationRisk: Int, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// Everything that is stored stays, and nothing more needs to be said.
  case safe
  /// Without code that says how, what is stored cannot be carried over, or may break a rule.
  case needsCode
  /// Something that is stored is lost.
  case destructive

  /// The word that plans print: `safe`, `needs code` or `destructive`.
  public var words: String {
    switch self {
    case .safe: "safe"
    case .needsCode: "needs code"
    case .destructive: "destructive"
    }
  }

  /// Whether the left risk is less than the right one.
  ///
  /// - Parameters:
  ///   - left: A risk.
  ///   - right: Another one.
  /// - Returns: `true` when the left one comes first in this order: safe, needs code, destructive.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
