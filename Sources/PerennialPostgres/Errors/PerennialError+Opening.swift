// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialSQL

extension PerennialError {
  /// A store that cannot be opened.
  static func cannotOpen(_ message: String, _ recovery: String) -> PerennialError {
    PerennialError(.persistentStoreOpen, message, recovery: recovery)
  }

  /// A table of another program, where one of ours would be.
  static func foreignTable(_ name: String, _ location: PostgresLocation) -> PerennialError {
    cannotOpen(
      "The database of the store '\(location)' has a table '\(name)' of another program.",
      "use a schema of its own: add '?options=-csearch_path%3DNAME' to the URL; nothing was changed"
    )
  }

  /// A store whose row of metadata is missing or unreadable.
  static func withoutMetadata(
    _ location: PostgresLocation,
    _ names: MetadataNames
  ) -> PerennialError {
    cannotOpen(
      "The store '\(location)' does not say of which model it is: '\(names.table.inCatalogue)' has no such row.",
      "restore the store from a copy; nothing was changed"
    )
  }

  /// A store that lacks something of its model's.
  static func incomplete(_ location: PostgresLocation, _ missing: String) -> PerennialError {
    cannotOpen(
      "The store '\(location)' lacks \(missing).",
      "restore the store from a copy; nothing was changed"
    )
  }
}
#endif
