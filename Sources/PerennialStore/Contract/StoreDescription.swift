// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// Which kind of store to open, where, and how.
///
/// ```swift
/// var store = StoreDescription.sqlite(URL(filePath: "/tmp/Project38.sqlite"))
/// store.busyTimeout = .seconds(2)
/// ```
///
/// Core Data: `NSPersistentStoreDescription`.
public struct StoreDescription: Sendable {
  /// The store's file; `nil` for a store in memory.
  public let url: URL?
  /// Whether the store is opened without the right to write.
  public var isReadOnly = false
  /// How long a save waits for another process's lock before it fails with code 134,090.
  public var busyTimeout: Duration = .seconds(5)

  /// A SQLite file, created when it does not exist.
  ///
  /// - Parameter url: The file. Its folder must exist.
  /// - Returns: The description.
  public static func sqlite(_ url: URL) -> StoreDescription {
    StoreDescription(url: url)
  }

  /// A store in memory, gone with its container.
  public static var inMemory: StoreDescription { StoreDescription(url: nil) }
}
