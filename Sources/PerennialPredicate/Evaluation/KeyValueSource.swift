// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Something that predicates read values from: a managed object, a row.
package protocol KeyValueSource {
  /// The identity by which `==` compares objects; `nil` equals nothing.
  var identity: ManagedObjectID? { get }

  /// The value of a property: a scalar, an object for a to-one relationship, a list for a to-many.
  ///
  /// - Throws: ``PerennialError`` when there is no such property or it cannot be read.
  func value(forKey key: String) throws(PerennialError) -> EvaluationValue
}

/// A value during evaluation.
package enum EvaluationValue {
  /// No value.
  case null
  /// A value of a property; `.null` means the same as ``null``.
  case scalar(PropertyValue)
  /// Several values in an order.
  case list([EvaluationValue])
  /// Values by name.
  case dictionary([String: EvaluationValue])
  /// Something whose values are read when they are needed.
  case object(any KeyValueSource)

  /// The value of a property.
  package init(_ value: PropertyValue) {
    self = value.isNull ? .null : .scalar(value)
  }

  /// Whether there is no value.
  package var isNull: Bool {
    switch self {
    case .null, .scalar(.null): true
    default: false
    }
  }

  /// The scalar, or `nil` for everything else.
  package var scalar: PropertyValue? {
    if case .scalar(let value) = self, !value.isNull { value } else { nil }
  }
}
