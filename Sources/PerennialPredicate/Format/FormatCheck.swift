// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Reads a format string before its values are known: what `#FetchPredicate` does at compile time.
package enum FormatCheck {
  /// What an interpolation stands for.
  package enum Interpolation {
    /// A value.
    case value
    /// A key path.
    case key
  }

  /// What is wrong with a format string, and where.
  package struct Problem: Error, Equatable {
    /// What is wrong, and what would be right.
    package let message: String
    /// The bytes concerned; empty at the end of the text.
    package let range: Range<Int>
  }

  /// The key that stands for one that is interpolated; no property has this name.
  package static let interpolatedKey = "\u{FFFC}"

  /// The tree of a format string; an interpolated value is a variable with an impossible name.
  ///
  /// - Parameters:
  ///   - text: The format string, with `%@` where something is interpolated.
  ///   - interpolations: The byte offsets of these `%@`, in their order.
  /// - Returns: The tree.
  /// - Throws: What is wrong with the text.
  package static func tree(
    of text: String,
    interpolations: [(offset: Int, kind: Interpolation)]
  ) throws(Problem) -> PredicateNode {
    var places: [Int: FormatPlaceholder] = [:]
    var arguments: [Any?] = []
    for (index, interpolation) in interpolations.enumerated() {
      let isKey = interpolation.kind == .key
      places[interpolation.offset] = isKey ? .interpolatedKey : .interpolation
      arguments.append(isKey ? interpolatedKey : FormatTemplate.Marker(index: index))
    }
    do throws(FormatProblem) {
      let bytes = Array(text.utf8)
      return try FormatParser.parse(bytes, arguments: arguments, interpolations: places).node
    } catch {
      throw Problem(message: message(of: error), range: error.range)
    }
  }

  private static func message(of problem: FormatProblem) -> String {
    var message = problem.sentence
    if !problem.hint.isEmpty { message += ", " + problem.hint }
    guard !problem.recovery.isEmpty, problem.recovery != problem.hint + "." else { return message }
    // A recovery is a whole sentence: its full stop does not belong here.
    return message + "; " + problem.recovery.dropLast()
  }
}
