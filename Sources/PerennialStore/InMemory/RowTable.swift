// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The rows of a root entity and its subentities in the order of their keys: a value.
///
/// The order makes a scan walk through memory as the rows were written.
package struct RowTable: Sendable {
  static let chunkCapacity = SortedTable<Int64, PageRow>.chunkCapacity

  private var rows = SortedTable<Int64, PageRow>()

  /// The row of a key; `nil` takes it out.
  package subscript(key: Int64) -> PageRow? {
    get { rows[key] }
    set { rows[key] = newValue }
  }

  /// The rows that satisfy a condition, by key.
  package func filter(_ isIncluded: (PageRow) -> Bool) -> [PageRow] {
    var included: [PageRow] = []
    visit { if isIncluded($0) { included.append($0) } }
    return included
  }

  /// Calls a closure with every row, by key.
  func visit(_ body: (PageRow) -> Void) { rows.visit { body($1) } }
}
