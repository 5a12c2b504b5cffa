// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One key by which fetched objects are sorted.
///
/// ```swift
/// request.sortDescriptors = [FetchSort("author.name", comparison: .localizedStandard)]
/// ```
///
/// Absent values come first when ascending and last when descending. Numbers are sorted by value.
///
/// Core Data: `NSSortDescriptor`.
public struct FetchSort: Sendable, Hashable {
  /// The property, or a key path through to-one relationships.
  public let key: String
  /// Whether small values come first.
  public let ascending: Bool
  /// How strings are ordered.
  public let comparison: Comparison

  /// A sort by a property.
  ///
  /// - Parameters:
  ///   - key: The property's name, or a key path through to-one relationships: `author.name`.
  ///   - ascending: Whether small values come first.
  ///   - comparison: How strings are ordered; it has no effect on other values.
  public init(_ key: String, ascending: Bool = true, comparison: Comparison = .binary) {
    self.key = key
    self.ascending = ascending
    self.comparison = comparison
  }

  /// The keys of ``key``, from the fetched object on.
  package var steps: [String] {
    key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// The same key in the opposite order.
  public var reversed: FetchSort {
    FetchSort(key, ascending: !ascending, comparison: comparison)
  }

  /// How strings are ordered.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    /// By their UTF-8 bytes, which is the order of Unicode scalars: `B` before `a`.
    case binary
    /// As `binary`, with capitals taken as small letters. Core Data: `caseInsensitiveCompare:`.
    case caseInsensitive
    /// By the current locale's rules. Core Data: `localizedCompare:`.
    case localized
    /// By the current locale's rules without regard to case. Core Data:
    /// `localizedCaseInsensitiveCompare:`.
    case localizedCaseInsensitive
    /// As file managers sort, `a2` before `a10`. Core Data: `localizedStandardCompare:`.
    case localizedStandard
  }
}
