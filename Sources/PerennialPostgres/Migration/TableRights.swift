// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialSQL

/// Whose a table is, and what others may do with it: what the table that takes its place is to keep.
///
/// Privileges on single columns are left out. PostgreSQL: "Privileges".
struct TableRights {
  /// What one role may do.
  struct Grant: Equatable {
    let privilege: String
    /// The role, as statements write it.
    let grantee: String
    /// Whether the role may grant it to others.
    let isGrantable: Bool
  }

  /// The owner, as statements write it; `nil` when it is the user of the connection.
  let owner: String?
  /// Whether policies say which rows others may see: without the policies, which are gone, they see none.
  let hasRowSecurity: Bool
  /// What the owner has granted to others.
  var grants: [Grant] = []

  /// Reads the rights of some tables in the schema where connections begin.
  ///
  /// - Parameters:
  ///   - tables: Their names, as the server's catalogue has them.
  ///   - connection: The connection.
  /// - Returns: The rights by the same names.
  /// - Throws: What the server says.
  static func read(
    of tables: [String],
    on connection: PostgresConnection
  ) throws(PostgresFailure) -> [String: TableRights] {
    let result = try connection.run(
      """
      SELECT c.relname::text, NULLIF(pg_get_userbyid(c.relowner)::text, current_user::text),
      a.privilege_type::text, pg_get_userbyid(NULLIF(a.grantee, 0))::text, a.is_grantable,
      c.relrowsecurity
      FROM pg_catalog.pg_class AS c
      JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = current_schema()
      LEFT JOIN LATERAL aclexplode(c.relacl) AS a ON a.grantee <> c.relowner
      WHERE c.relname::text = ANY ($1) ORDER BY 1, 4, 3
      """,
      [.array(tables.map { .text($0) }, of: .text)],
      .reading
    )
    /// A role as statements write it; a null is everybody, or nobody else.
    func role(_ row: Int, _ column: Int) -> String? {
      result.isNull(row, column) ? nil : result.text(row, column).quotedForSQL
    }
    var rights: [String: TableRights] = [:]
    for row in 0..<result.count {
      let table = result.text(row, 0)
      var found =
        rights[table] ?? TableRights(owner: role(row, 1), hasRowSecurity: result.bool(row, 5))
      if !result.isNull(row, 2) {
        let grant = Grant(
          privilege: result.text(row, 2),
          grantee: role(row, 3) ?? "PUBLIC",
          isGrantable: result.bool(row, 4)
        )
        found.grants.append(grant)
      }
      rights[table] = found
    }
    return rights
  }

  /// What some tables have in common, which a table beside them gets.
  static func shared(by tables: [TableRights]) -> TableRights {
    let first = tables.first
    let haveOneOwner = tables.allSatisfy { $0.owner == first?.owner }
    let grants = first?.grants ?? []
    return TableRights(
      owner: haveOneOwner ? first?.owner : nil,
      hasRowSecurity: tables.contains(where: \.hasRowSecurity),
      grants: grants.filter { grant in tables.allSatisfy { $0.grants.contains(grant) } }
    )
  }

  /// What gives a new table these rights.
  func statements(for table: String) -> [String] {
    let securing = hasRowSecurity ? "ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY" : nil
    let owning = owner.map { "ALTER TABLE \(table) OWNER TO \($0)" }
    let granting = grants.map { grant in
      "GRANT \(grant.privilege) ON \(table) TO \(grant.grantee)"
        + (grant.isGrantable ? " WITH GRANT OPTION" : "")
    }
    return [securing, owning].compactMap(\.self) + granting
  }
}
#endif
