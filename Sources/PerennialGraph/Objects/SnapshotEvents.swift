// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What changed an object's values other than a setter.
///
/// Core Data: `NSSnapshotEventType`, with the same raw values.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt

  /// Events with the given bits.
  ///
  /// - Parameter rawValue: The bits; bits that have no name here are kept.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The insertion of the object was undone.
  public static let undoInsertion = SnapshotEvents(rawValue: 2)
  /// The deletion of the object was undone.
  public static let undoDeletion = SnapshotEvents(rawValue: 4)
  /// A change of the object was undone.
  public static let undoUpdate = SnapshotEvents(rawValue: 8)
  /// The context was rolled back.
  public static let rollback = SnapshotEvents(rawValue: 16)
  /// The object was refreshed: by a request, another context's save, or a fetch that found a newer row.
  public static let refresh = SnapshotEvents(rawValue: 32)
  /// A merge policy resolved a conflict of the object.
  public static let mergePolicy = SnapshotEvents(rawValue: 64)
}
