// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
import PerennialStore

/// Takes the elements of a composite attribute, one after the other.
///
/// The code that `@Composite` writes calls it; the type of the property selects the overload.
public struct _ElementWriter {
  /// What was written.
  private(set) var values: [PropertyValue] = []
  /// The first element that cannot be set, and why.
  private(set) var failure: (place: Int, error: any Error)?

  /// The object that gets the elements, and their slots; none for values that are no object's yet.
  private let object: ManagedObject?
  private let slots: [Int]
  /// What the elements read as now; empty unless a stored raw value is none of its type.
  var readValues: [PropertyValue] = []

  init(_ object: ManagedObject? = nil, slots: [Int] = []) {
    self.object = object
    self.slots = slots
  }

  /// Takes an element of a standard type.
  public mutating func write<Value: AttributeValue>(_ value: Value) {
    values.append(value._propertyValue)
  }

  /// Takes an element with a raw value.
  public mutating func write<Value: RawRepresentable>(_ value: Value)
  where Value.RawValue: AttributeValue {
    values.append(stored(for: value))
  }

  /// Takes an optional element with a raw value.
  public mutating func write<Value: RawRepresentable>(_ value: Value?)
  where Value.RawValue: AttributeValue {
    values.append(stored(for: value))
  }

  /// The raw value of an element; what is stored, and none of the type, stays when it is set to what it reads as.
  private func stored<Value: RawRepresentable>(
    for value: Value?
  ) -> PropertyValue where Value.RawValue: AttributeValue {
    let new = value?.rawValue._propertyValue ?? .null
    guard let object, values.count < min(slots.count, readValues.count),
      new == readValues[values.count]
    else { return new }
    let slot = slots[values.count]
    let row = object._row ?? object._loadedRow(slot)
    guard object._isUndecodable(slot), !PackedRow.isNull(row, slot),
      Value(rawValue: Value.RawValue._load(row, slot)) == nil
    else { return new }
    return object._propertyValue(slot, of: row)
  }

  /// Takes an element of a Codable type.
  @_disfavoredOverload
  public mutating func write<Value: Codable & Sendable>(_ value: Value) {
    var stored = PropertyValue.null
    do {
      if let data = try json(for: value) { stored = .data(data) }
    } catch {
      if failure == nil { failure = (place: values.count, error: error) }
    }
    values.append(stored)
  }

  private func json(for value: some Codable) throws -> Data? {
    guard let object, values.count < slots.count else { return try JSONValue.encode(value) }
    return try object._json(for: value, slots[values.count])
  }

  /// Takes an element that is composite itself.
  public mutating func write<Value: CompositeAttribute>(_ value: Value) {
    value._write(to: &self)
  }

  /// Takes an optional element that is composite itself.
  public mutating func write<Value: CompositeAttribute>(_ value: Value?) {
    guard let value else {
      values += repeatElement(.null, count: Value._slotCount)
      return
    }
    value._write(to: &self)
  }
}
