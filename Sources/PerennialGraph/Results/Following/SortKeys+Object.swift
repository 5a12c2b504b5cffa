// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore

extension SortKeys {
  /// The identity of an object and its values under sorts, with its unsaved changes.
  init(of object: ManagedObject, _ sorts: SortPaths) throws(PerennialError) {
    let values = try sorts.values(of: ObjectSource(object))
    self.init(reference: object._reference, values: values)
  }

  /// How two rows are ordered: negative or positive, and zero for a row and itself.
  ///
  /// Equal rows are in the order of their keys, which falls where the last sort falls.
  static func order(_ left: SortKeys, _ right: SortKeys, _ sorts: [FetchSort]) -> Int {
    order(left, right, sorts, from: 0)
  }

  /// How two rows are ordered that are equal under the first sorts, whose values the second row lacks.
  static func order(
    _ left: SortKeys,
    _ right: SortKeys,
    _ sorts: [FetchSort],
    from first: Int
  ) -> Int {
    for number in first..<sorts.count {
      let order = sorts[number].order(left.values[number], right.values[number - first])
      if order != 0 { return order }
    }
    let keys = (left.reference.key.ordered, right.reference.key.ordered)
    let order = keys.0 < keys.1 ? -1 : keys.0 > keys.1 ? 1 : 0
    return sorts.last?.ascending == false ? -order : order
  }
}

extension PropertyValue {
  /// The name of the section of rows that have this value; empty for none.
  var sectionName: String {
    switch self {
    case .null: ""
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): String(value)
    case .double(let value): String(value == 0 ? 0 : value)
    case .decimal(let value): value.description
    case .date(let value) where !value.timeIntervalSinceReferenceDate.isFinite:
      String(value.timeIntervalSinceReferenceDate)
    case .date(let value):
      value.ISO8601Format(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    case .string(let value): value
    case .url(let value): value.absoluteString
    case .uuid(let value): value.uuidString
    case .data(let value): value.base64EncodedString()
    case .objectID(let value): value.uriRepresentation.absoluteString
    }
  }
}
