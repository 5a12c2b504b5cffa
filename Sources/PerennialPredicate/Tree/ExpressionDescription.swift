// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// A value that a fetch of dictionaries computes, under a name of its own.
///
/// ```swift
/// let count = ExpressionDescription("commits", format: "count(sha)")
/// let days = ExpressionDescription(
///   "days",
///   format: "(CAST(max(date), 'NSNumber') - CAST(min(date), 'NSNumber')) / %@",
///   86_400.0
/// )
/// ```
///
/// `count`, `sum`, `min`, `max`, `average`, `median` and `stddev` of one value of the fetched objects look at
/// all objects of a group, or at all fetched objects when there are no groups; absent values do not count.
/// Everything else, such as `commits.@count`, is computed for each object. A wrong format is kept as an error
/// that the fetch throws.
///
/// Core Data: `NSExpressionDescription`.
public struct ExpressionDescription: Sendable, Hashable {
  /// The name of the value in the dictionaries, and for sorts and conditions on groups.
  public let name: String
  /// The type that numbers are converted to; `undefined` for the type that the expression has.
  ///
  /// Counts, and sums of integers, are integers. Means are doubles or decimals. The least and greatest values
  /// have their attribute's type.
  public var expressionResultType: AttributeType

  private let content: Result<ExpressionNode, FormatError>

  /// A value from a format string that is fixed at compile time.
  ///
  /// - Parameters:
  ///   - name: The name of the value in the dictionaries.
  ///   - format: The value in the format language: `max(date)`, also as `max:(date)`.
  ///   - arguments: A value for every placeholder, in their order.
  ///   - resultType: The type that numbers are converted to.
  public init(
    _ name: String,
    format: StaticString,
    _ arguments: (any Sendable)?...,
    resultType: AttributeType = .undefined
  ) {
    self.name = name
    expressionResultType = resultType
    do throws(FormatError) {
      content = .success(try FormatParser.parseValue(format.description, arguments: arguments).node)
    } catch {
      content = .failure(error)
    }
  }

  /// A value from a text that is made at run time.
  ///
  /// Never paste what a user typed into a text of yours: pass it as an argument.
  ///
  /// - Parameters:
  ///   - name: The name of the value in the dictionaries.
  ///   - text: The value in the format language.
  ///   - arguments: A value for every placeholder, in their order.
  ///   - resultType: The type that numbers are converted to.
  /// - Throws: ``PerennialError`` with code `predicateFormat`; its message shows the place.
  public init(
    _ name: String,
    parsing text: String,
    arguments: [(any Sendable)?] = [],
    resultType: AttributeType = .undefined
  ) throws(PerennialError) {
    self.name = name
    expressionResultType = resultType
    do throws(FormatError) {
      content = .success(try FormatParser.parseValue(text, arguments: arguments).node)
    } catch {
      throw error.perennialError
    }
  }

  /// The expression.
  ///
  /// - Throws: ``PerennialError`` with code `predicateFormat` when the format was wrong.
  package func checked() throws(PerennialError) -> ExpressionNode {
    switch content {
    case .success(let node): return node
    case .failure(let error): throw error.perennialError
    }
  }
}
