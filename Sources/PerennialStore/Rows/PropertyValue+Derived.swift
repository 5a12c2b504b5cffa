// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
package import PerennialPredicate

extension PropertyValue {
  /// A computed number as an attribute of a type holds it; `.null` when it cannot.
  package func fitting(_ type: AttributeType) -> PropertyValue {
    switch (self, type) {
    case (.double(let value), .decimal): .decimal(Decimal(value))
    case (.double(let value), .int16), (.double(let value), .int32), (.double(let value), .int64):
      Int64(exactly: value).map { .integer($0) } ?? .null
    case (.decimal(let value), .double), (.decimal(let value), .float):
      .double(value.closestDouble)
    default: type.accepts(self) ? self : .null
    }
  }
}

extension PropertyValue {
  /// What an evaluation of a derivation gave, as an attribute of a type holds it.
  package init(derived value: EvaluationValue, as type: AttributeType) {
    guard case .scalar(let scalar) = value else {
      self = .null
      return
    }
    self = scalar.fitting(type)
  }
}
