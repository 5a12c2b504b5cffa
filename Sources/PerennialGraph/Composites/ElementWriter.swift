// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// Takes the elements of a composite attribute, one after the other.
///
/// What `@Composite` writes calls it; the type of the property picks the overload.
public struct _ElementWriter {
  /// What was written.
  private(set) var values: [PropertyValue] = []
  /// The first element that could not be encoded, and what its type has thrown.
  private(set) var failure: (place: Int, error: any Error)?

  init() {}

  /// Takes an element of a standard type.
  public mutating func write<Value: AttributeValue>(_ value: Value) {
    values.append(value._propertyValue)
  }

  /// Takes an element with a raw value.
  public mutating func write<Value: RawRepresentable>(_ value: Value)
  where Value.RawValue: AttributeValue {
    values.append(value.rawValue._propertyValue)
  }

  /// Takes an element with a raw value, or none.
  public mutating func write<Value: RawRepresentable>(_ value: Value?)
  where Value.RawValue: AttributeValue {
    values.append(value?.rawValue._propertyValue ?? .null)
  }

  /// Takes an element of a Codable type.
  @_disfavoredOverload
  public mutating func write<Value: Codable & Sendable>(_ value: Value) {
    var stored = PropertyValue.null
    do {
      if let data = try JSONValue.encode(value) { stored = .data(data) }
    } catch {
      if failure == nil { failure = (place: values.count, error: error) }
    }
    values.append(stored)
  }

  /// Takes an element that is composite itself.
  public mutating func write<Value: CompositeAttribute>(_ value: Value) {
    value._write(to: &self)
  }

  /// Takes an element that is composite itself, or none.
  public mutating func write<Value: CompositeAttribute>(_ value: Value?) {
    guard let value else {
      values += repeatElement(.null, count: Value._slotCount)
      return
    }
    value._write(to: &self)
  }
}
