// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension PropertyValue {
  /// The value as users see it; `nil` for null.
  package var sendable: (any Sendable)? {
    switch self {
    case .null: nil
    case .boolean(let value): value
    case .integer(let value): value
    case .double(let value): value
    case .decimal(let value): value
    case .string(let value): value
    case .date(let value): value
    case .data(let value): value
    case .uuid(let value): value
    case .url(let value): value
    case .objectID(let value): value
    }
  }
}
