// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore

extension PostgresSave {
  /// Writes a derived attribute of its owners where it changes; their versions stay.
  mutating func apply(_ derivation: ChangeSet.Derivation) throws(PostgresFailure) {
    let sql = DerivationSQL(schema)
    for (depth, keys) in DerivationSQL.keys(of: derivation) {
      // A list of keys is one parameter, however many they are.
      let rows = sql.rows(of: derivation, depth: depth, keyCount: 2)
      var parameters = PostgresFields()
      parameters.append(keys)
      try lock(sql.guarded(derivation, by: rows), parameters)
      if let query = sql.untransformed(derivation, of: rows) {
        try transform(derivation, query, parameters)
        continue
      }
      guard let changed = sql.changedKeys(derivation, of: rows),
        let update = sql.update(derivation, of: "\(key) IN (\(changed))")
      else { return }
      try pipeline.add(
        schema.dialect.finished(update + " RETURNING \(key)"),
        [PostgresType.integer.array],
        parameters
      ) { [log] result throws(PostgresFailure) in
        let keys = (0..<result.count).map { result.integer($0, 0) }
        log.recorder.noteDerived(derivation.slot, of: derivation.entity, keys)
      }
    }
  }

  /// Keeps what an attribute is computed of as it is until the save ends: others who change it at the same time wait, and
  /// then compute it of what both have written.
  private mutating func lock(
    _ queries: (owners: String, path: String?),
    _ keys: PostgresFields
  ) throws(PostgresFailure) {
    let locks = [queries.owners + " FOR NO KEY UPDATE", queries.path.map { $0 + " FOR SHARE" }]
    for sql in locks.compactMap(\.self) {
      try pipeline.add(schema.dialect.finished(sql), [PostgresType.integer.array], keys)
    }
  }

  /// Computes texts that the server cannot: it gives what they are made of.
  private mutating func transform(
    _ derivation: ChangeSet.Derivation,
    _ query: String,
    _ parameters: PostgresFields
  ) throws(PostgresFailure) {
    guard case .path(_, _, let transform?) = derivation.source,
      let column = schema.column(of: derivation.slot, in: derivation.entity)?.name
    else { return }
    try pipeline.flush()
    let statement = PostgresStatement(
      schema.dialect.finished(query),
      [PostgresType.integer.array]
    )
    let found = try connection.run(statement, parameters)
    var keys: [Int64] = []
    var texts = PostgresFields()
    for row in 0..<found.count {
      func text(_ column: Int) -> String? {
        found.isNull(row, column) ? nil : found.text(row, column)
      }
      let new = text(2).map { transform.apply(to: $0) }
      // By their bytes, as they are stored.
      if new.map({ Array($0.utf8) }) == text(1).map({ Array($0.utf8) }) { continue }
      keys.append(found.integer(row, 0))
      if let new { texts.append(new) } else { texts.appendNull() }
    }
    guard !keys.isEmpty else { return }
    log.recorder.noteDerived(derivation.slot, of: derivation.entity, keys)
    var values = PostgresFields()
    values.append(keys)
    values.append(texts, arrayOf: .text)
    try pipeline.add(
      """
      UPDATE \(schema.table(of: derivation.entity)) AS t0 SET \(column) = n.v
      FROM unnest($1, $2) AS n (k, v) WHERE t0.\(key) = n.k
      """,
      [PostgresType.integer.array, PostgresType.text.array],
      values
    )
  }
}
#endif
