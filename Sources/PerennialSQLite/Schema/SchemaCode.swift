// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A part of a file's schema, and what of it would run by itself when a store is written: triggers, conditions
/// and defaults of tables, expressions of indexes.
///
/// SQLite runs them with the rights of the program, and whoever made the file may have written them: they may
/// drop what is saved, never end, or want all memory. Core Data and Perennial write few of them, so that others
/// are known by the words that they must have. This is no parser: what it does not understand is not known.
struct SchemaCode: Sendable {
  /// `table`, `index`, `trigger` or `view`.
  let kind: String
  let name: String
  /// The table that it belongs to, in capitals.
  private let table: String
  let sql: String

  init(kind: String, name: String, table: String, sql: String) {
    self.kind = kind
    self.name = name
    self.table = table.uppercased()
    self.sql = sql
  }

  /// Whether it is a table with rows of its own: none that an extension of SQLite makes up.
  var isOrdinaryTable: Bool { sql.prefix(12).uppercased() == "CREATE TABLE" }

  /// Whether it is the table of an R-tree index of Core Data's (FORMAT 2.7), of whose triggers no sample is known.
  var isRTree: Bool { kind == "table" && !isOrdinaryTable && name.hasPrefix("Z_RT_") }

  /// Whether nothing runs that neither Core Data nor Perennial writes.
  var isKnown: Bool {
    switch kind {
    case "trigger": isTextTrigger || isDerivingTrigger
    case "table" where !isOrdinaryTable: !isOfStore || isTextIndex
    case "table", "index": !isOfStore || SchemaWords(sql, apartFrom: table).areKnown
    // Nothing of a store reads a view.
    default: true
    }
  }

  /// Whether it concerns what a store writes: other tables are somebody else's.
  private var isOfStore: Bool {
    table.hasPrefix("Z") || table.hasPrefix("PERENNIAL_")
      || ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table)
  }

  /// Whether it is the table of a full-text index, word for word.
  var isTextIndex: Bool {
    guard name.hasSuffix("_FTS"), let start = sql.firstRange(of: "fts5(")?.upperBound,
      let end = sql[start...].firstIndex(of: ",")
    else { return false }
    let column = String(sql[start..<end])
    let owner = String(name.dropLast(column.count + "__FTS".count))
    return FullTextIndex(table: owner, column: column).statements.contains(sql)
  }

  /// The full-text index that keeps its trigrams in the table that this concerns, if there is such an index: its
  /// name in capitals.
  var textIndex: String? {
    for end in ["_DATA", "_IDX", "_CONFIG", "_CONTENT", "_DOCSIZE"]
    where table.hasSuffix("_FTS" + end) {
      return String(table.dropLast(end.count))
    }
    return nil
  }

  /// Whether it is a table in which FTS5 keeps trigrams, word for word.
  ///
  /// With an index or a condition of somebody's, a statement with which FTS5 writes there may have to be undone. For
  /// that SQLite asks all tables of extensions for a savepoint, whereupon FTS5 writes, and so on until the stack ends.
  var isOfFTS5: Bool {
    kind == "table" && Self.tablesOfFTS5.contains { sql == "CREATE TABLE '\(name)'\($0)" }
  }

  private static let tablesOfFTS5 = [
    "(id INTEGER PRIMARY KEY, block BLOB)",
    "(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID",
    "(k PRIMARY KEY, v) WITHOUT ROWID",
  ]

  /// Whether it is a trigger of a full-text index, word for word.
  var isTextTrigger: Bool {
    for end in ["_FTS_INSERT", "_FTS_DELETE", "_FTS_UPDATE"] where name.hasSuffix(end) {
      guard name.hasPrefix(table + "_") else { return false }
      let column = name.dropFirst(table.count + 1).dropLast(end.count)
      return FullTextIndex(table: table, column: String(column)).statements.contains(sql)
    }
    return false
  }

  /// Whether it is one of the triggers with which Core Data computes derived attributes (FORMAT 2.8).
  private var isDerivingTrigger: Bool {
    guard name.hasPrefix("Z_DA_") else { return false }
    let words = SchemaWords(sql, apartFrom: table)
    return words.areKnown && words.onlyUpdate
  }
}

/// The words of a statement in capitals, and those directly before a parenthesis, which may be functions.
private struct SchemaWords {
  private var words: [String] = []
  private var calls: Set<String> = []
  private var hasComments = false

  /// What may stand before a parenthesis: types, keywords, and functions that give little and take no time.
  private static let harmless = Set<String>([
    "VARCHAR", "CHAR", "DECIMAL", "NUMERIC", "FLOAT", "INTEGER", "KEY", "UNIQUE", "CHECK", "IN",
    "AND", "OR", "NOT", "WHEN", "WHERE", "THEN", "ELSE", "SELECT", "AS", "IFNULL", "COALESCE",
    "COUNT", "SUM", "TOTAL", "AVG", "MIN", "MAX", "ABS", "LENGTH", "LOWER", "UPPER", "TYPEOF",
    "CAST", "INSTR", "SUBSTR", "TRIM",
  ]).union(CoreDataFunction.allCases.map { $0.rawValue.uppercased() })

  /// The words of a statement.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - name: A word, in capitals, before whose parenthesis a list of columns begins.
  init(_ sql: String, apartFrom name: String) {
    let bytes = Array(sql.uppercased().utf8)
    var index = 0
    var last = ""
    while index < bytes.count {
      let start = index
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
        let end = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
        while index < bytes.count, bytes[index] != end { index += 1 }
        last = String(decoding: bytes[(start + 1)..<index], as: UTF8.self)
        index += 1
      case UInt8(ascii: "("):
        if last != name, !last.isEmpty { calls.insert(last) }
        last = ""
      case UInt8(ascii: "-") where bytes[index...].first == byte: hasComments = true
      case UInt8(ascii: "/") where bytes[index...].first == UInt8(ascii: "*"): hasComments = true
      case let byte where Self.isPart(byte):
        while index < bytes.count, Self.isPart(bytes[index]) { index += 1 }
        last = String(decoding: bytes[start..<index], as: UTF8.self)
        words.append(last)
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), 0x0C:
        break
      default:
        // A sign: what is in parentheses behind it is no argument.
        last = ""
        words.append(String(UnicodeScalar(byte)))
      }
    }
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  /// Whether no function is called but harmless ones, and nothing can go on without end.
  var areKnown: Bool {
    !hasComments && !words.contains("WITH") && !words.contains("GENERATED")
      && calls.isSubset(of: Self.harmless)
  }

  /// Whether the body of a trigger only changes rows, and looks at one table at a time.
  var onlyUpdate: Bool {
    guard let begin = words.firstIndex(of: "BEGIN") else { return false }
    let body = words[(begin + 1)...]
    guard !body.contains(where: ["DELETE", "INSERT", "REPLACE", "JOIN", "FROM("].contains) else {
      return false
    }
    // `FROM a, b`, `FROM a AS x, b`: as many rows as the product of both.
    return body.indices.allSatisfy { index in
      body[index] != "FROM" || !body[index...].dropFirst().prefix(4).contains(",")
        || body[index...].dropFirst().prefix { $0 != "," }.contains(where: Self.ends.contains)
    }
  }

  private static let ends: Set<String> = ["WHERE", ";", "END"]
}
