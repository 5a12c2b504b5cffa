// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

extension FetchSort {
  /// What a value of any type has at the sort's key; a ``KeyValueSource`` counts as an object.
  ///
  /// - Throws: ``PerennialError`` when the value has no such key or cannot be read.
  package func value(of object: Any?) throws(PerennialError) -> PropertyValue {
    let value = try KeyPathReader.value(at: steps, of: EvaluationValue(converting: object))
    return value.scalar ?? .null
  }
}
