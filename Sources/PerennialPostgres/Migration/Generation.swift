// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialSQL

/// How often a store has been migrated: the number in its row of metadata, which every save locks and compares.
///
/// Those who save do not wait for each other by it, but for a migration; afterwards the number is another one.
enum Generation {
  /// The row is locked before the number is compared, or compared once more.
  private static func statement(_ names: MetadataNames) -> PostgresStatement {
    PostgresStatement(
      "SELECT 1 / CASE WHEN \(names.version) = $1 THEN 1 ELSE 0 END FROM \(names.table) FOR KEY SHARE",
      [.integer]
    )
  }

  /// Begins a transaction that must not be committed when the store has been migrated since it was opened.
  static func check(
    _ generation: Int64,
    _ names: MetadataNames,
    with pipeline: inout SavePipeline
  ) throws(PostgresFailure) {
    var parameters = PostgresFields()
    parameters.append(generation)
    let failure = PostgresFailure(.migrated, "the store has been migrated since it was opened")
    try pipeline.addCheck(statement(names), parameters, failure)
  }
}
#endif
