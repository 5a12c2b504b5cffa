// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

extension ExpressionNode {
  /// A value written in the format language, such as `commits.@count`.
  ///
  /// - Parameter text: The value's text.
  /// - Throws: ``PerennialError`` with code `predicateFormat`; its message shows the place.
  package init(parsing text: String) throws(PerennialError) {
    do throws(FormatError) {
      self = try FormatParser.parseValue(text).node
    } catch {
      throw error.perennialError
    }
  }
}
