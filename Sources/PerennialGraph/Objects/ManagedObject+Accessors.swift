// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
import PerennialStore

// What the accessors that @Managed writes call: `{ get { _get(3) } set { _set(3, newValue) } }`.
// The declared type picks the overload: attribute value, raw value, Codable value, to-one, to-many.

extension ManagedObject {
  /// Reads an attribute.
  ///
  /// The lowest bit of `_bits` is ``ManagedObject/Flag/isObserved``.
  @inlinable
  @inline(__always)
  public final func _get<Value: AttributeValue>(_ slot: Int) -> Value {
    if _bits & 1 != 0 { _noteAccess(slot) }
    if let row = _row { return Value._load(row, slot) }
    return Value._load(_loadedRow(slot), slot)
  }

  /// Writes an attribute.
  @inlinable
  @inline(__always)
  public final func _set<Value: AttributeValue>(_ slot: Int, _ value: Value) {
    value._withSlotValue { _store($0, slot) }
  }

  /// Reads an enum or another type with a raw value; the default when the raw value is unknown.
  public final func _get<Value: RawRepresentable>(_ slot: Int) -> Value
  where Value.RawValue: AttributeValue {
    if has(.isObserved) { _noteAccess(slot) }
    let row = _row ?? _loadedRow(slot)
    if !PackedRow.isNull(row, slot), let value = Value(rawValue: Value.RawValue._load(row, slot)) {
      return value
    }
    guard let value = Value(rawValue: Value.RawValue._load(_defaultRow(), slot)) else {
      preconditionFailure(
        "A property of type \(Value.self) has no value and no default; make it optional or give it a default."
      )
    }
    return value
  }

  /// Writes a type with a raw value.
  public final func _set<Value: RawRepresentable>(_ slot: Int, _ value: Value)
  where Value.RawValue: AttributeValue {
    value.rawValue._withSlotValue { _store($0, slot) }
  }

  /// Reads an optional type with a raw value; `nil` also when the raw value is unknown.
  public final func _get<Value: RawRepresentable>(_ slot: Int) -> Value?
  where Value.RawValue: AttributeValue {
    if has(.isObserved) { _noteAccess(slot) }
    let row = _row ?? _loadedRow(slot)
    return PackedRow.isNull(row, slot) ? nil : Value(rawValue: Value.RawValue._load(row, slot))
  }

  /// Writes an optional type with a raw value.
  public final func _set<Value: RawRepresentable>(_ slot: Int, _ value: Value?)
  where Value.RawValue: AttributeValue {
    if let value { _set(slot, value) } else { _store(.null, slot) }
  }

  /// Reads a Codable value from JSON; the default when there is none.
  @_disfavoredOverload
  public final func _get<Value: Codable & Sendable>(_ slot: Int) -> Value {
    if has(.isObserved) { _noteAccess(slot) }
    if let value = JSONValue.decode(Value.self, from: _row ?? _loadedRow(slot), slot) {
      return value
    }
    if let value = JSONValue.decode(Value.self, from: _defaultRow(), slot) { return value }
    preconditionFailure(
      "A property of type \(Value.self) has no value and no default; make it optional or give it a default."
    )
  }

  /// Writes a Codable value as JSON.
  ///
  /// When its `encode(to:)` throws, the property stays as it is, and the next save throws.
  @_disfavoredOverload
  public final func _set<Value: Codable & Sendable>(_ slot: Int, _ value: Value) {
    do {
      guard let data = try JSONValue.encode(value) else { return _store(.null, slot) }
      data._withSlotValue { _store($0, slot) }
    } catch {
      _noteUnencodable(slot, error)
    }
  }

  /// Keeps what the `encode(to:)` of a new value has thrown, for the next save to throw.
  final func _noteUnencodable(_ slot: Int, _ error: any Error) {
    guard let home = _home else { return }
    let layout = home.pointee.layout
    home.pointee.context.note(
      misuse: PerennialError(
        .typeMismatch,
        "A value for '\(layout.name).\(layout.slots[slot].name)' cannot be encoded, and was not set.",
        recovery: "see what the 'encode(to:)' of its type throws",
        entity: layout.name,
        property: layout.slots[slot].name,
        objectID: objectID,
        underlying: error
      )
    )
  }

  /// Reads a to-one relationship.
  public final func _get<Destination: ManagedObject>(_ slot: Int) -> Destination? {
    _row == nil && _refusesLoad(slot) ? nil : _target(slot).flatMap { $0 as? Destination }
  }

  /// Writes a to-one relationship and its inverse.
  public final func _set<Destination: ManagedObject>(_ slot: Int, _ value: Destination?) {
    _setTarget(slot, value)
  }

  /// A view of a to-many relationship.
  public final func _get<Destination: ManagedObject>(_ index: Int) -> ToMany<Destination> {
    ToMany(owner: self, index: index)
  }

  /// Replaces the contents of a to-many relationship.
  public final func _set<Destination: ManagedObject>(_ index: Int, _ value: ToMany<Destination>) {
    _replaceMembers(index, with: Array(value))
  }

  /// A view of an ordered to-many relationship.
  public final func _get<Destination: ManagedObject>(_ index: Int) -> OrderedToMany<Destination> {
    OrderedToMany(owner: self, index: index)
  }

  /// Replaces the contents of an ordered to-many relationship.
  public final func _set<Destination: ManagedObject>(
    _ index: Int,
    _ value: OrderedToMany<Destination>
  ) {
    _replaceMembers(index, with: Array(value))
  }
}

/// Codable values in slots.
///
/// Safe because a row pointer is used only while the object that owns the row is alive.
enum JSONValue {
  static func decode<Value: Decodable>(
    _ type: Value.Type,
    from row: UnsafeRawPointer,
    _ slot: Int
  ) -> Value? {
    let data = PackedRow.isNull(row, slot) ? Data("null".utf8) : Data._load(row, slot)
    return try? JSONDecoder.forStores(.marked).decode(type, from: data)
  }

  /// The value as JSON, with equal bytes for equal values; `nil` for `nil`.
  static func encode(_ value: some Encodable) throws -> Data? {
    let data = try JSONEncoder.forStores(.marked).encode(value)
    return data == Data("null".utf8) ? nil : data
  }
}
