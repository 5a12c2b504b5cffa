// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A statement in SQL, for what predicates cannot say: every interpolated value is bound, never pasted.
///
/// ```swift
/// let loud: RawSQL = """
///   SELECT Z_PK FROM \(table: Commit.self) WHERE length(\(column: \Commit.message)) > \(100)
///   """
/// let commits = try context.fetch(Commit.self, sql: loud)
/// ```
///
/// The text is fixed at compile time. In a SQLite store, tables and columns have the names of Core Data's files
/// (`ZCOMMIT`, `ZMESSAGE`): `Z_PK` is a row's key, and `Z_ENT` the number of its entity. Tables and columns of
/// a PostgreSQL store may have other names. Interpolations look the names up.
public struct RawSQL: Sendable, ExpressibleByStringInterpolation {
  /// A piece of the statement.
  package enum Part: Sendable {
    case text(String)
    case value(PropertyValue)
    /// The table of an entity.
    case table(String)
    /// The column of an entity's attribute or to-one relationship.
    case column(entity: String, property: String)
    /// A value that cannot be bound; its type.
    case unusable(String)
  }

  package let parts: [Part]

  /// A statement without values.
  ///
  /// - Parameter text: The statement.
  public init(stringLiteral text: StaticString) { parts = [.text(text.description)] }

  /// A statement with values.
  ///
  /// - Parameter stringInterpolation: The pieces, in their order.
  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// The pieces of an interpolated literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    var parts: [Part] = []

    /// An empty literal.
    ///
    /// - Parameters:
    ///   - literalCapacity: About how many bytes of text will follow; not used.
    ///   - interpolationCount: How many values and names will follow.
    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    /// Adds a part of the literal.
    ///
    /// - Parameter literal: A piece of the statement, taken as it is.
    public mutating func appendLiteral(_ literal: StaticString) {
      parts.append(.text(literal.description))
    }

    /// Adds a value, bound to a parameter of the statement.
    ///
    /// Strings, numbers, truth values, dates, UUIDs, URLs, data, object IDs (their keys) and `nil` can be bound.
    ///
    /// - Parameter value: The value; one of another type makes the fetch throw `typeMismatch` (200004).
    public mutating func appendInterpolation(_ value: (any Sendable)?) {
      guard let value else { return parts.append(.value(.null)) }
      if let value = ArgumentConversion.scalar(value) {
        parts.append(.value(value))
      } else {
        parts.append(.unusable("\(type(of: value))"))
      }
    }

    /// Adds the name of an entity's table.
    package mutating func append(tableOf entity: String) { parts.append(.table(entity)) }

    /// Adds the name of a property's column.
    package mutating func append(columnOf property: String, in entity: String) {
      parts.append(.column(entity: entity, property: property))
    }
  }
}
