// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// A value that is bound to a parameter of a statement.
enum SQLValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  case blob(Data)
}
