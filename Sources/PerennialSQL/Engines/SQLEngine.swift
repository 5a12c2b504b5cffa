// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What an SQL database of yours says in another way than others: for ``SQLTables``, which writes the rest.
///
/// ```swift
/// struct MySQL: SQLEngine {
///   func typeName(of type: SQLColumnType) -> String {
///     switch type {
///     case .integer: "BIGINT"
///     case .double: "DOUBLE"
///     case .text: "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
///     case .bytes: "LONGBLOB"
///     }
///   }
///   func quoted(_ name: String) -> String { "`\(name)`" }
///   func isSame(_ left: String, _ right: String) -> String { "\(left) <=> \(right)" }
///   func order(_ value: String, ascending: Bool) -> String { ascending ? value : "\(value) DESC" }
///   func contains(_ text: String, _ part: String) -> String? { "LOCATE(\(part), \(text)) > 0" }
/// }
/// ```
///
/// Only ``typeName(of:)`` has no default; the others are standard SQL. A condition must be true for exactly the rows
/// for which it holds in memory. What the database would answer in another way is `nil`: then memory answers it.
///
/// Values that functions are given are pieces of SQL, complete as they are. A function may use each as often as it
/// likes, and in any order; parameters follow.
///
/// The database has to know `IS NOT TRUE`, `EXISTS`, subqueries that use the rows around them, `COALESCE` and
/// `ORDER BY` of expressions.
public protocol SQLEngine: Sendable {
  /// The declared type of a column.
  ///
  /// Texts have to be compared and ordered by their UTF-8 bytes, or their scalars, and upper and lower case told apart.
  ///
  /// - Parameter type: What the column holds.
  /// - Returns: The type, as `CREATE TABLE` has it.
  func typeName(of type: SQLColumnType) -> String

  /// A name as statements write it, so that it is never a word of SQL; `"name"` by default.
  ///
  /// - Parameter name: The name of a table, a column or an index.
  /// - Returns: The name, with the same mark before and the same behind every name.
  func quoted(_ name: String) -> String

  /// The greatest number of bytes of a name; 63 by default. Longer ones are shortened.
  var longestName: Int { get }

  /// The greatest number of parameters of a statement; 2,000 by default.
  var greatestParameterCount: Int { get }

  /// Whether texts may contain U+0000; `false` by default.
  var takesNUL: Bool { get }

  /// The mark of a parameter; `?` by default.
  ///
  /// - Parameter number: Its place in the list of parameters, from 1 on.
  /// - Returns: The mark.
  func parameter(_ number: Int) -> String

  /// A condition that is never NULL: whether two values are equal, or both absent; `IS NOT DISTINCT FROM` by default.
  ///
  /// - Parameters:
  ///   - left: A value, as a piece of SQL; it may be NULL.
  ///   - right: Another one.
  /// - Returns: The condition.
  func isSame(_ left: String, _ right: String) -> String

  /// A term of `ORDER BY` that has absent values first ascending, and last descending; with `NULLS FIRST` and
  /// `NULLS LAST` by default.
  ///
  /// - Parameters:
  ///   - value: A piece of SQL.
  ///   - ascending: Whether the least value comes first.
  /// - Returns: The term.
  func order(_ value: String, ascending: Bool) -> String

  /// The end of a query that gives a part of its rows; `LIMIT 10 OFFSET 20` by default.
  ///
  /// - Parameters:
  ///   - limit: How many rows; 0 for all that follow.
  ///   - offset: How many are left out at the beginning.
  /// - Returns: The clause.
  func window(limit: Int, offset: Int) -> String

  /// Whether a text has a part that is not empty, compared byte by byte; `nil` by default.
  ///
  /// - Parameters:
  ///   - text: A text, as a piece of SQL; it may be NULL.
  ///   - part: What is looked for in it, as a piece of SQL.
  /// - Returns: The condition; `nil` leaves it to memory.
  func contains(_ text: String, _ part: String) -> String?

  /// Whether a text ends in one that is not empty, compared byte by byte; `nil` by default.
  ///
  /// - Parameters:
  ///   - text: A text, as a piece of SQL; it may be NULL.
  ///   - end: What it is to end in, as a piece of SQL.
  /// - Returns: The condition; `nil` leaves it to memory.
  func ends(_ text: String, _ end: String) -> String?

  /// The number of UTF-16 units of a text, absent when it is; `nil` by default.
  ///
  /// - Parameter text: A text, as a piece of SQL; it may be NULL.
  /// - Returns: The number, as a piece of SQL; `nil` leaves it to memory.
  func length(_ text: String) -> String?
}

extension SQLEngine {
  /// In quotation marks.
  ///
  /// - Parameter name: The name of a table, a column or an index.
  /// - Returns: The name; a quotation mark in it is doubled.
  public func quoted(_ name: String) -> String { name.quotedForSQL }

  /// 63 bytes.
  public var longestName: Int { 63 }

  /// 2,000 parameters.
  public var greatestParameterCount: Int { 2_000 }

  /// No text with U+0000.
  public var takesNUL: Bool { false }

  /// A question mark.
  ///
  /// - Parameter number: Its place, which does not matter.
  /// - Returns: `?`.
  public func parameter(_ number: Int) -> String { "?" }

  /// SQL:1999.
  ///
  /// - Parameters:
  ///   - left: A value, as a piece of SQL; it may be NULL.
  ///   - right: Another one.
  /// - Returns: The condition, with `IS NOT DISTINCT FROM`.
  public func isSame(_ left: String, _ right: String) -> String {
    "\(left) IS NOT DISTINCT FROM \(right)"
  }

  /// SQL:2003.
  ///
  /// - Parameters:
  ///   - value: A piece of SQL.
  ///   - ascending: Whether the least value comes first.
  /// - Returns: The term, with `NULLS FIRST` or `DESC NULLS LAST`.
  public func order(_ value: String, ascending: Bool) -> String {
    value + (ascending ? " NULLS FIRST" : " DESC NULLS LAST")
  }

  /// `LIMIT` with a number in any case: there are databases without `OFFSET` alone.
  ///
  /// - Parameters:
  ///   - limit: How many rows; 0 for all that follow.
  ///   - offset: How many are left out at the beginning.
  /// - Returns: The clause; without `OFFSET` when that is 0.
  public func window(limit: Int, offset: Int) -> String {
    "LIMIT \(limit > 0 ? Int64(limit) : .max)" + (offset > 0 ? " OFFSET \(offset)" : "")
  }

  /// Left to memory.
  ///
  /// - Parameters:
  ///   - text: A text, as a piece of SQL; it may be NULL.
  ///   - part: What is looked for in it, as a piece of SQL.
  /// - Returns: `nil`.
  public func contains(_ text: String, _ part: String) -> String? { nil }

  /// Left to memory.
  ///
  /// - Parameters:
  ///   - text: A text, as a piece of SQL; it may be NULL.
  ///   - end: What it is to end in, as a piece of SQL.
  /// - Returns: `nil`.
  public func ends(_ text: String, _ end: String) -> String? { nil }

  /// Left to memory.
  ///
  /// - Parameter text: A text, as a piece of SQL; it may be NULL.
  /// - Returns: `nil`.
  public func length(_ text: String) -> String? { nil }
}

/// What a column of ``SQLTables`` holds.
public enum SQLColumnType: Sendable, Hashable, CaseIterable {
  /// Whole numbers of 64 bits: integers, truth values (1 and 0), keys.
  case integer
  /// Floating-point numbers of 64 bits; dates in seconds since the beginning of 2001, UTC.
  case double
  /// Texts, URLs, and decimals, whose digits no other type keeps everywhere.
  case text
  /// Data; UUIDs as 16 bytes; what transformers and composite attributes make.
  case bytes
}
