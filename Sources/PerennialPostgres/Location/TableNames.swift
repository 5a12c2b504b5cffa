// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialStore

extension StoreDescription {
  /// What the tables and columns of a store on a server are called.
  ///
  /// ```swift
  /// let store = StoreDescription.postgres(url, names: .plain)
  /// ```
  ///
  /// It matters when the tables are made; a store that is there keeps the names that it has, also when it is migrated.
  /// Core Data has no stores on servers.
  public enum TableNames: String, Sendable, Hashable, CaseIterable {
    /// Core Data's, in small letters: `zcommit` with `z_pk`, `z_ent`, `z_opt`, `zcreatedat` and `zauthor`.
    case coreData = "coredata"
    /// Those that somebody would give who writes SQL: `commit` with `id`, `version`, `created_at` and `author_id`.
    case plain
  }
}
