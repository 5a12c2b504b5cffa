// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

/// Reads the elements of a composite attribute from an object's slots, one after the other.
///
/// The code that `@Composite` writes calls it; the type of the property selects the overload.
public struct _ElementReader {
  private let object: ManagedObject
  private var slots: ArraySlice<Int>

  init(_ object: ManagedObject, slots: [Int]) {
    self.object = object
    self.slots = slots[...]
  }

  private mutating func next() -> Int {
    guard let slot = slots.popFirst() else {
      preconditionFailure("A composite attribute has more elements than its model says.")
    }
    return slot
  }

  /// Whether none of the next slots has a value.
  func isEmpty(_ count: Int) -> Bool {
    let row = object._row ?? object._loadedRow(slots.first ?? 0)
    return slots.prefix(count).allSatisfy { PackedRow.isNull(row, $0) }
  }

  // MARK: Standard types

  /// Reads an element of a standard type.
  public mutating func read<Value: AttributeValue>() -> Value { object._get(next()) }

  /// Reads an element of a standard type that has a default.
  public mutating func read<Value: AttributeValue>(default value: Value) -> Value {
    let isEmpty = isEmpty(1)
    let stored: Value = object._get(next())
    return isEmpty ? value : stored
  }

  // MARK: Types with a raw value

  /// Reads an element with a raw value; `nil` when there is none, or when the type does not know it.
  public mutating func read<Value: RawRepresentable>() -> Value?
  where Value.RawValue: AttributeValue {
    object._get(next())
  }

  /// Reads an element with a raw value that has a default.
  public mutating func read<Value: RawRepresentable>(default value: Value) -> Value
  where Value.RawValue: AttributeValue {
    let stored: Value? = object._get(next())
    return stored ?? value
  }

  // MARK: Codable types

  /// Reads an element of a Codable type; `nil` when there is none.
  @_disfavoredOverload
  public mutating func read<Value: Codable & Sendable>() -> Value? {
    let slot = next()
    if object.has(.isObserved) { object._noteAccess(slot) }
    return object._decoded(slot)
  }

  /// Reads an element of a Codable type that has a default.
  @_disfavoredOverload
  public mutating func read<Value: Codable & Sendable>(default value: Value) -> Value {
    read() ?? value
  }

  // MARK: Composite types

  /// Reads an element that is composite itself.
  public mutating func read<Value: CompositeAttribute>() -> Value { Value(_reading: &self) }

  /// Reads an element that is composite itself; `nil` when none of its elements has a value.
  public mutating func read<Value: CompositeAttribute>() -> Value? {
    guard isEmpty(Value._slotCount) else { return Value(_reading: &self) }
    slots = slots.dropFirst(Value._slotCount)
    return nil
  }

  /// Reads an element that is composite itself and has a default.
  public mutating func read<Value: CompositeAttribute>(default value: Value) -> Value {
    read() ?? value
  }

  // MARK: Sizes

  /// How many slots a property of a type takes: 1 for all but composite ones.
  @_disfavoredOverload
  @inlinable
  public static func slots<Value>(of type: Value.Type) -> Int { 1 }

  /// How many slots a composite attribute takes.
  @inlinable
  public static func slots<Value: CompositeAttribute>(of type: Value.Type) -> Int {
    Value._slotCount
  }

  /// How many slots an optional composite attribute takes.
  @inlinable
  public static func slots<Value: CompositeAttribute>(of type: Value?.Type) -> Int {
    Value._slotCount
  }
}
