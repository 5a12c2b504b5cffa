// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A full-text index of a text column: a table of trigrams, kept up to date by triggers
/// (SQLite: "FTS5 Extension", "The Trigram Tokenizer").
///
/// It names the rows that may contain a text, and the condition itself decides about each of them.
/// Invariants:
/// 1. Every row with a text is in the table of trigrams, whoever wrote the row: the triggers are
///    part of the file and call no function of ours.
/// 2. FTS5 folds the case of a scalar as we do when ``FullTextFolding`` has it. The rows with other
///    scalars are in a partial index, and are candidates always.
/// 3. FTS5 knows no diacritics. For conditions that ignore them, the rows beyond ASCII, which are in
///    another partial index, are candidates always.
struct FullTextIndex: Sendable, Hashable {
  /// Rows that are candidates whatever the trigrams say.
  enum Exception: Sendable {
    /// Those with scalars that FTS5 may fold in another way.
    case foldedOtherwise
    /// Those that are not all ASCII.
    case beyondASCII
  }

  let table: String
  let column: String

  /// The name of the table of trigrams.
  var name: String { "\(table)_\(column)_FTS" }

  /// What makes the index of an empty table.
  var statements: [String] {
    let insertion = "INSERT INTO \(name) (rowid, \(column))"
    let deletion = "INSERT INTO \(name) (\(name), rowid, \(column))"
    return [
      "CREATE VIRTUAL TABLE \(name) USING fts5(\(column), content='\(table)', "
        + "content_rowid='Z_PK', tokenize='trigram', detail='none', columnsize=0)",
      "CREATE TRIGGER \(name)_INSERT AFTER INSERT ON \(table) WHEN new.\(column) IS NOT NULL BEGIN "
        + "\(insertion) VALUES (new.Z_PK, new.\(column)); END",
      "CREATE TRIGGER \(name)_DELETE AFTER DELETE ON \(table) WHEN old.\(column) IS NOT NULL BEGIN "
        + "\(deletion) VALUES ('delete', old.Z_PK, old.\(column)); END",
      "CREATE TRIGGER \(name)_UPDATE AFTER UPDATE OF \(column) ON \(table) "
        + "WHEN old.\(column) IS NOT new.\(column) BEGIN "
        + "\(deletion) SELECT 'delete', old.Z_PK, old.\(column) WHERE old.\(column) IS NOT NULL; "
        + "\(insertion) SELECT new.Z_PK, new.\(column) WHERE new.\(column) IS NOT NULL; END",
      "CREATE INDEX \(name)_FOLDED ON \(table) (Z_PK) WHERE \(condition(.foldedOtherwise))",
      "CREATE INDEX \(name)_ASCII ON \(table) (Z_PK) WHERE \(condition(.beyondASCII))",
    ]
  }

  /// The names of the triggers and indexes that belong to the table of trigrams.
  var dependents: [String] {
    ["INSERT", "DELETE", "UPDATE", "FOLDED", "ASCII"].map { "\(name)_\($0)" }
  }

  /// What fills the index of a table that has rows already.
  var rebuild: String { "INSERT INTO \(name) (\(name)) VALUES ('rebuild')" }

  /// What joins the pieces that filling leaves: a query looks for its trigrams in each of them.
  var join: String { "INSERT INTO \(name) (\(name)) VALUES ('optimize')" }

  /// The rows that may satisfy a condition, as a subquery with one parameter: the trigrams.
  func candidates(and exception: Exception) -> String {
    "SELECT rowid FROM \(name) WHERE \(name) MATCH ? UNION ALL "
      + "SELECT Z_PK FROM \(table) WHERE \(condition(exception))"
  }

  /// The condition of a partial index; GLOB and `length` stop at NUL, which FTS5 does, too.
  private func condition(_ exception: Exception) -> String {
    switch exception {
    case .foldedOtherwise:
      "\(column) GLOB '*[^\(FullTextFolding.characterClass)]*' OR instr(\(column), char(0)) > 0"
    case .beyondASCII:
      "\(column) IS NOT NULL AND length(\(column)) <> length(CAST(\(column) AS BLOB))"
    }
  }
}

/// The scalars whose case FTS5 and Foundation fold to the same scalars.
///
/// The list is short of some that would do: what it lacks costs time, not rows. It is part of the
/// stores' schema; a test holds it against both libraries.
enum FullTextFolding {
  /// ASCII; Latin, Greek and Cyrillic letters with one capital each; scripts without case.
  static let ranges: [ClosedRange<UInt32>] = [
    0x01...0x7E, 0xC0...0xD6, 0xD8...0xDE, 0xE0...0xF6, 0xF8...0x12F, 0x132...0x137, 0x139...0x148,
    0x14A...0x17E, 0x391...0x3A1, 0x3A3...0x3A9, 0x3B1...0x3C1, 0x3C3...0x3C9, 0x400...0x45F,
    0x5D0...0x5EA, 0x620...0x64A, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FA5,
    0xAC00...0xD7A3,
  ]

  /// The ranges as GLOB writes them between brackets.
  static let characterClass = ranges.map { range in
    [range.lowerBound, range.upperBound].compactMap(Unicode.Scalar.init).map(String.init)
      .joined(separator: "-")
  }.joined()

  /// Whether a scalar is in the list.
  static func contains(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar.value) }
  }
}
