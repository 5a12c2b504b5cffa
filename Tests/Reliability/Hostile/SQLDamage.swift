// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// What statements can do to a store: the file stays a sound database.
struct SQLDamage {
  let columns: [Enemy.Column]
  /// The names of files that values of the store may claim.
  let names: [String]

  /// One to three statements.
  func statements(_ chance: inout Chance) -> String {
    (0...chance.below(3)).map { _ in statement(&chance) }.joined(separator: ";\n")
  }

  private func statement(_ chance: inout Chance) -> String {
    switch chance.below(10) {
    case 0...4: rows(&chance)
    case 5: chance.one(of: Self.counters)
    case 6: schema(&chance)
    case 7: entry(&chance)
    case 8: code(&chance)
    default: chance.one(of: Self.settings)
    }
  }

  // MARK: Rows

  private func column(_ chance: inout Chance) -> Enemy.Column { chance.one(of: columns) }

  private func some(_ chance: inout Chance) -> String {
    chance.one(of: ["", " WHERE rowid % 3 = 1", " WHERE rowid = 2", " WHERE rowid > 5"])
  }

  private func rows(_ chance: inout Chance) -> String {
    let column = column(&chance)
    let (table, name) = (column.table, column.name)
    switch chance.below(9) {
    case 0: return "UPDATE OR REPLACE \(table) SET \(name) = rowid\(some(&chance))"
    case 1: return "UPDATE OR REPLACE \(table) SET \(name) = rowid + 1\(some(&chance))"
    case 2: return "DELETE FROM \(table)\(some(&chance))"
    case 3:
      let values = "\(value(&chance)), \(value(&chance))"
      return "INSERT OR IGNORE INTO \(table) (rowid, \(name)) VALUES (\(values))"
    case 4:
      // Few enough for the attacker: texts of 200,000 characters keep the triggers of a store busy.
      return """
        WITH RECURSIVE c(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM c WHERE x < 130)
        INSERT OR IGNORE INTO \(table) (rowid, \(name)) SELECT x, \(value(&chance)) FROM c
        """
    case 5:
      let other = self.column(&chance)
      return """
        UPDATE OR IGNORE \(table) SET \(name) =
        (SELECT \(other.name) FROM \(other.table) LIMIT 1)\(some(&chance))
        """
    default:
      return "UPDATE OR REPLACE \(table) SET \(name) = \(value(&chance))\(some(&chance))"
    }
  }

  private func value(_ chance: inout Chance) -> String {
    if chance.once(in: 8) {
      let name = chance.one(of: names)
      let bytes = [2] + Array(name.utf8) + [0]
      return Self.literal(bytes)
    }
    return chance.one(of: Self.values)
  }

  /// Bytes as SQL has them.
  static func literal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789ABCDEF")
    return "x'" + String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "'"
  }

  private static let values = [
    "NULL", "0", "-1", "1", "2", "3", "7", "16001", "16002", "2147483647", "2147483648",
    "4294967295", "4294967296", "9223372036854775807", "-9223372036854775808", "140737488355328",
    "0.5", "1e308", "-1e308", "9e999", "-9e999", "1e-320", "123456789012345678", "'text'", "''",
    "'12'", "'1e5000'", "'nan'", "x''", "x'00'", "x'01'", "x'02'", "x'0102030405'", "x'FFFE'",
    "CAST(x'FFFEC0AF' AS TEXT)", "CAST(x'610062' AS TEXT)", "CAST(x'EDA080' AS TEXT)",
    "CAST(x'F4908080' AS TEXT)", "zeroblob(200000)", "randomblob(16)", "randomblob(17)",
    "hex(zeroblob(100000))", "CAST(zeroblob(50) AS TEXT)", "char(0x1F468, 0x200D, 0x1F469)",
    "'99999999999999999999999999999999999999999999'", "'-0'", "'{\"hall\":1}'", "'[[[[[[1]]]]]]'",
    "x'62706C6973743030'", "'file:///etc/passwd'", "'%@ %n'", "''' OR 1=1 --'",
  ]

  private static let counters =
    values.prefix(20).flatMap { value in
      [
        "UPDATE Z_PRIMARYKEY SET Z_MAX = \(value)", "UPDATE Z_PRIMARYKEY SET Z_SUPER = \(value)",
        "UPDATE OR REPLACE Z_PRIMARYKEY SET Z_ENT = \(value) WHERE Z_ENT = 1",
        "UPDATE Z_PRIMARYKEY SET Z_NAME = \(value) WHERE Z_ENT = 2",
      ]
    } + ["UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 1000", "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Room'"]

  private static let settings = [
    "PRAGMA user_version = -1", "PRAGMA application_id = 7", "PRAGMA journal_mode = DELETE",
    "PRAGMA page_size = 512; PRAGMA journal_mode = DELETE; VACUUM", "PRAGMA schema_version = -1",
    "PRAGMA schema_version = 2147483647", "PRAGMA auto_vacuum = 0; VACUUM",
    "PRAGMA legacy_file_format = 1", "PRAGMA incremental_vacuum", "REINDEX", "ANALYZE",
    "PRAGMA page_size = 65536; PRAGMA journal_mode = DELETE; VACUUM",
    "CREATE TABLE IF NOT EXISTS sqlite_stat1 (tbl, idx, stat)",
    "ANALYZE; UPDATE sqlite_stat1 SET stat = '1000000000 0 -1'",
  ]

  // MARK: Tables

  private func schema(_ chance: inout Chance) -> String {
    let (table, name) = { ($0.table, $0.name) }(column(&chance))
    return switch chance.below(10) {
    case 0: "DROP TABLE \(table)"
    case 1: "ALTER TABLE \(table) RENAME COLUMN \(name) TO ZOTHER"
    case 2: "ALTER TABLE \(table) DROP COLUMN \(name)"
    case 3: "ALTER TABLE \(table) ADD COLUMN ZMORE INTEGER DEFAULT 'x'"
    case 4: "ALTER TABLE \(table) RENAME TO OLD; CREATE VIEW \(table) AS SELECT * FROM OLD"
    case 5:
      "CREATE TABLE NEW AS SELECT * FROM \(table); DROP TABLE \(table); ALTER TABLE NEW RENAME TO \(table)"
    case 6:
      """
      CREATE TABLE NEW AS SELECT * FROM \(table); INSERT INTO NEW SELECT * FROM \(table);
      DROP TABLE \(table); ALTER TABLE NEW RENAME TO \(table)
      """
    case 7: "ALTER TABLE \(table) RENAME TO OLD; CREATE VIRTUAL TABLE \(table) USING fts5(\(name))"
    case 8: "CREATE UNIQUE INDEX ONE ON \(table) (\(name))"
    default:
      """
      ALTER TABLE \(table) RENAME TO OLD; CREATE VIEW \(table) AS
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS \(name) FROM c
      """
    }
  }

  /// What the file says of its tables, which SQLite believes.
  private func entry(_ chance: inout Chance) -> String {
    let (table, name) = { ($0.table, $0.name) }(column(&chance))
    let change = chance.one(of: [
      "sql = replace(sql, 'VARCHAR', 'BLOB')", "sql = replace(sql, 'INTEGER', '')",
      "sql = replace(sql, 'BLOB', 'VARCHAR(99999999999999999999)')",
      "sql = replace(sql, ' \(name) ', ' \(name) GENERATED ALWAYS AS (1) ')",
      "sql = replace(sql, ' \(name) ', ' \(name) NOT NULL DEFAULT (randomblob(900000000)) ')",
      "sql = replace(sql, ' )', ', EXTRA DEFAULT (hex(zeroblob(400000000))) )')",
      "sql = replace(sql, ' )', ', CHECK (length(hex(zeroblob(400000000))) > 1) )')",
      "sql = replace(sql, ' )', ', CHECK (load_extension(''x'') > 1) )')",
      "sql = replace(sql, 'PRIMARY KEY', '')", "sql = replace(sql, ' )', ' ) WITHOUT ROWID')",
      "sql = replace(sql, ' )', ' ) STRICT')", "sql = sql || sql", "sql = 'CREATE TABLE'",
      "sql = CAST(x'FFFE00' AS TEXT)", "rootpage = 1", "rootpage = 2", "rootpage = 0",
      "rootpage = -1", "rootpage = 2147483647", "rootpage = rootpage + 1", "type = 'view'",
      "type = 'index'", "name = 'ZOTHER'", "name = ''", "tbl_name = 'ZOTHER'", "sql = NULL",
    ])
    return "UPDATE sqlite_master SET \(change) WHERE tbl_name = '\(table)'"
  }

  /// Programs in the schema.
  private func code(_ chance: inout Chance) -> String {
    let (table, name) = { ($0.table, $0.name) }(column(&chance))
    let event = chance.one(of: ["INSERT", "UPDATE", "DELETE"])
    let body = chance.one(of: [
      "DELETE FROM \(column(&chance).table)", "UPDATE \(table) SET \(name) = NULL",
      "SELECT load_extension('x')", "SELECT RAISE(IGNORE)", "SELECT RAISE(ABORT, 'no')",
      "SELECT fts3_tokenizer('x', x'4141414141414141')", "SELECT hex(zeroblob(400000000))",
      "SELECT (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c)",
      "INSERT INTO Z_METADATA SELECT * FROM Z_METADATA", "DELETE FROM Z_PRIMARYKEY",
    ])
    return chance.one(of: [
      "CREATE TRIGGER EVIL AFTER \(event) ON \(table) BEGIN \(body); END",
      "CREATE TRIGGER Z_DA_EVIL AFTER \(event) ON \(table) BEGIN \(body); END",
      "CREATE TRIGGER EVIL BEFORE \(event) ON \(table) BEGIN \(body); END",
      "CREATE INDEX EVIL ON \(table) (hex(\(name)))",
      "CREATE INDEX EVIL ON \(table) (\(name)) WHERE abs(\(name)) > 1",
      "CREATE VIEW EVIL AS SELECT * FROM EVIL", "CREATE VIRTUAL TABLE EVIL USING fts3(a)",
      "CREATE VIRTUAL TABLE EVIL USING rtree(a, b, c)",
      "CREATE TABLE EVIL (a CHECK (random() > 0))",
      "UPDATE sqlite_master SET sql = replace(sql, 'END', '; SELECT 1; END') WHERE type = 'trigger'",
      "UPDATE sqlite_master SET sql = replace(sql, 'trigram', 'porter') WHERE type = 'table'",
    ])
  }
}
