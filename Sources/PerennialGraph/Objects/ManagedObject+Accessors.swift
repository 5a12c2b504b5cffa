// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

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

  /// Reads an enum or another type with a raw value; gives the default for a raw value that is missing or unknown.
  public final func _get<Value: RawRepresentable>(_ slot: Int) -> Value
  where Value.RawValue: AttributeValue {
    if has(.isObserved) { _noteAccess(slot) }
    let row = _row ?? _loadedRow(slot)
    if !PackedRow.isNull(row, slot) {
      if let value = Value(rawValue: Value.RawValue._load(row, slot)) { return value }
      _noteUndecodable(slot)
    }
    guard let value = Value(rawValue: Value.RawValue._load(_defaultRow(with: slot), slot)) else {
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

  /// Reads an optional type with a raw value; gives `nil` also for an unknown raw value.
  public final func _get<Value: RawRepresentable>(_ slot: Int) -> Value?
  where Value.RawValue: AttributeValue {
    if has(.isObserved) { _noteAccess(slot) }
    let row = _row ?? _loadedRow(slot)
    if PackedRow.isNull(row, slot) { return nil }
    if let value = Value(rawValue: Value.RawValue._load(row, slot)) { return value }
    _noteUndecodable(slot)
    return nil
  }

  /// Writes an optional type with a raw value.
  public final func _set<Value: RawRepresentable>(_ slot: Int, _ value: Value?)
  where Value.RawValue: AttributeValue {
    if let value { _set(slot, value) } else { _store(.null, slot) }
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
