// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Where an SQL database of yours differs from others, for ``SQLTables``, which writes the statements.
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
/// Only ``typeName(of:)`` has no default. The defaults of the others are standard SQL with `LIMIT`, or leave the work
/// to memory. A condition must be true for exactly the rows for which it holds in memory. Where the database would
/// answer differently, return `nil`: then memory answers.
///
/// The values that a function gets are complete pieces of SQL. It may use each of them any number of times, in any
/// order; the statement's parameters are arranged accordingly.
///
/// The database must support `IS NOT TRUE`, `EXISTS`, subqueries that use the rows around them, `COALESCE` and
/// `ORDER BY` of expressions.
public protocol SQLEngine: Sendable {
  /// The declared type of a column.
  ///
  /// The type for texts must compare and order them by their UTF-8 bytes or their scalars, and tell upper case from
  /// lower case.
  ///
  /// - Parameter type: What the column holds.
  /// - Returns: The type, as `CREATE TABLE` writes it.
  func typeName(of type: SQLColumnType) -> String

  /// A name as statements write it, so that it is never taken for a word of SQL; `"name"` by default.
  ///
  /// - Parameter name: The name of a table, a column or an index.
  /// - Returns: The name, with the same mark before every name and the same mark after every name.
  func quoted(_ name: String) -> String

  /// The greatest number of bytes of a name; 63 by default.
  ///
  /// Longer names are shortened.
  var longestName: Int { get }

  /// The greatest number of parameters of a statement; 2,000 by default.
  var greatestParameterCount: Int { get }

  /// Whether texts may contain U+0000; `false` by default.
  var takesNUL: Bool { get }

  /// The mark of a parameter; `?` by default.
  ///
  /// - Parameter number: The parameter's place in the list of parameters, from 1 on.
  /// - Returns: The mark.
  func parameter(_ number: Int) -> String

  /// A condition that is never NULL: whether two values are equal, or both absent; `IS NOT DISTINCT FROM` by default.
  ///
  /// - Parameters:
  ///   - left: A value, as a piece of SQL; it may be NULL.
  ///   - right: Another one.
  /// - Returns: The condition.
  func isSame(_ left: String, _ right: String) -> String

  /// A term of `ORDER BY` that puts absent values first when it ascends, and last when it descends; by default with
  /// `NULLS FIRST` and `NULLS LAST`.
  ///
  /// - Parameters:
  ///   - value: A piece of SQL.
  ///   - ascending: Whether the least value comes first.
  /// - Returns: The term.
  func order(_ value: String, ascending: Bool) -> String

  /// The clause that limits a query to a part of its rows; `LIMIT 10 OFFSET 20`, for example, by default.
  ///
  /// - Parameters:
  ///   - limit: The greatest number of rows; 0 for all that follow.
  ///   - offset: How many rows are left out at the beginning.
  /// - Returns: The clause.
  func window(limit: Int, offset: Int) -> String

  /// Whether a text contains another text that is not empty, compared byte by byte; `nil` by default.
  ///
  /// - Parameters:
  ///   - text: A text, as a piece of SQL; it may be NULL.
  ///   - part: The text to look for in it, as a piece of SQL.
  /// - Returns: The condition; `nil` leaves it to memory.
  func contains(_ text: String, _ part: String) -> String?

  /// Whether a text ends in another text that is not empty, compared byte by byte; `nil` by default.
  ///
  /// - Parameters:
  ///   - text: A text, as a piece of SQL; it may be NULL.
  ///   - end: The text to look for at its end, as a piece of SQL.
  /// - Returns: The condition; `nil` leaves it to memory.
  func ends(_ text: String, _ end: String) -> String?

  /// The number of UTF-16 units of a text, NULL when the text is NULL; `nil` by default.
  ///
  /// - Parameter text: A text, as a piece of SQL; it may be NULL.
  /// - Returns: The number, as a piece of SQL; `nil` leaves it to memory.
  func length(_ text: String) -> String?
}

extension SQLEngine {
  /// The name in quotation marks.
  ///
  /// - Parameter name: The name of a table, a column or an index.
  /// - Returns: The name; a quotation mark in it is doubled.
  public func quoted(_ name: String) -> String { name.quotedForSQL }

  /// 63 bytes.
  public var longestName: Int { 63 }

  /// 2,000 parameters.
  public var greatestParameterCount: Int { 2_000 }

  /// `false`: no text may contain U+0000.
  public var takesNUL: Bool { false }

  /// A question mark.
  ///
  /// - Parameter number: The parameter's place, which does not matter.
  /// - Returns: `?`.
  public func parameter(_ number: Int) -> String { "?" }

  /// The condition of SQL:1999.
  ///
  /// - Parameters:
  ///   - left: A value, as a piece of SQL; it may be NULL.
  ///   - right: Another one.
  /// - Returns: The condition, with `IS NOT DISTINCT FROM`.
  public func isSame(_ left: String, _ right: String) -> String {
    "\(left) IS NOT DISTINCT FROM \(right)"
  }

  /// The term of SQL:2003.
  ///
  /// - Parameters:
  ///   - value: A piece of SQL.
  ///   - ascending: Whether the least value comes first.
  /// - Returns: The term, with `NULLS FIRST` or `DESC NULLS LAST`.
  public func order(_ value: String, ascending: Bool) -> String {
    value + (ascending ? " NULLS FIRST" : " DESC NULLS LAST")
  }

  /// `LIMIT`, always with a number: some databases do not have `OFFSET` alone.
  ///
  /// - Parameters:
  ///   - limit: The greatest number of rows; 0 for all that follow.
  ///   - offset: How many rows are left out at the beginning.
  /// - Returns: The clause, without `OFFSET` when the offset is 0.
  public func window(limit: Int, offset: Int) -> String {
    "LIMIT \(limit > 0 ? Int64(limit) : .max)" + (offset > 0 ? " OFFSET \(offset)" : "")
  }

  /// Leaves the condition to memory.
  ///
  /// - Parameters:
  ///   - text: A text, as a piece of SQL; it may be NULL.
  ///   - part: The text to look for in it, as a piece of SQL.
  /// - Returns: `nil`.
  public func contains(_ text: String, _ part: String) -> String? { nil }

  /// Leaves the condition to memory.
  ///
  /// - Parameters:
  ///   - text: A text, as a piece of SQL; it may be NULL.
  ///   - end: The text to look for at its end, as a piece of SQL.
  /// - Returns: `nil`.
  public func ends(_ text: String, _ end: String) -> String? { nil }

  /// Leaves the number to memory.
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
  /// Texts, URLs, and decimals: in some databases no other type keeps all digits of a decimal.
  case text
  /// Data; UUIDs as 16 bytes; what transformers and composite attributes make of their values.
  case bytes
}
