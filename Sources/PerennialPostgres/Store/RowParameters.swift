// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialModel

/// Rows as parameters of a statement that writes them: their keys, their versions and the columns of a packer.
///
/// Several are an array for each column, one is a value for each: the server plans what has a list anew each time, which
/// takes longer than to write a row.
///
/// Safe because the rows lie in the pages of a change set, which the caller keeps until its save is done.
struct RowParameters {
  /// What stands behind `FROM`.
  let sql: String
  let types: [PostgresType]
  var fields = PostgresFields()

  init(_ rows: ArraySlice<UnsafeRawPointer>, _ packer: RowPacker) {
    let types = [PostgresType.integer, .integer] + packer.types
    let marks = (1...types.count).map { "$\($0)" }.joined(separator: ", ")
    if rows.count == 1, let row = rows.first {
      sql = "(VALUES (\(marks)))"
      self.types = types
      fields.append(PackedRow.key(row))
      fields.append(Int64(PackedRow.version(row)))
      packer.packRow(row, into: &fields)
    } else {
      sql = "unnest(\(marks))"
      self.types = types.map(\.array)
      fields.append(rows.lazy.map { PackedRow.key($0) })
      fields.append(rows.lazy.map { Int64(PackedRow.version($0)) })
      packer.packArrays(rows, into: &fields)
    }
  }
}
#endif
