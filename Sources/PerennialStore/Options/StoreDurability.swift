// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a save outlives once it has returned.
public enum StoreDurability: Sendable, Hashable, Codable, CaseIterable {
  /// The end of the process, a crash of the system and a loss of power.
  case full
  /// The end of the process only: a crash of the system or a loss of power may take the last saves
  /// away, whole saves from the end, but it never damages the store.
  ///
  /// Saves wait for the disk only where the store would be damaged otherwise: for the text of a JSON store, for
  /// large values that lie in files of their own, and for the journal of a SQLite store that keeps no write-ahead
  /// log (SQLite: `PRAGMA synchronous`).
  case survivesProcessDeathOnly
}
