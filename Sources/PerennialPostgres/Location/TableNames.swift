// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialStore

extension StoreDescription {
  /// How the tables and columns of a store on a server are named.
  ///
  /// ```swift
  /// let store = StoreDescription.postgres(url, names: .plain)
  /// ```
  ///
  /// It matters when the tables are made: an existing store keeps its names, also when it is migrated. Core Data has
  /// no stores on servers.
  public enum TableNames: String, Sendable, Hashable, CaseIterable {
    /// Core Data's names, in lowercase: `zcommit` with `z_pk`, `z_ent`, `z_opt`, `zcreatedat` and `zauthor`.
    case coreData = "coredata"
    /// Names as people who write SQL would choose them: `commit` with `id`, `version`, `created_at` and `author_id`.
    case plain
  }
}
