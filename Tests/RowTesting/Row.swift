// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A row written down: its key, its version and its slots by name.
package struct Row {
  package enum Value {
    case value(PropertyValue)
    case reference(String, Int64)
  }

  package var key: Int64
  package var version: UInt32
  package var values: [String: Value]

  package init(_ key: Int64, version: UInt32 = 1, _ values: [String: Value] = [:]) {
    self.key = key
    self.version = version
    self.values = values
  }
}

extension Row.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  package init(stringLiteral value: String) { self = .value(.string(value)) }
  package init(integerLiteral value: Int64) { self = .value(.integer(value)) }
  package init(floatLiteral value: Double) { self = .value(.double(value)) }
  package init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
}
