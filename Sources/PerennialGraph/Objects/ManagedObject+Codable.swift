// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

// Attributes of Codable types, which are stored as JSON.
// Safe because a row pointer is used only while the object that owns the row is alive.

extension ManagedObject {
  /// Reads a Codable value from JSON; gives the default when there is none, or when it cannot be decoded.
  @_disfavoredOverload
  public final func _get<Value: Codable & Sendable>(_ slot: Int) -> Value {
    if has(.isObserved) { _noteAccess(slot) }
    if let value: Value = _decoded(slot) { return value }
    if let value = try? JSONValue.decode(Value.self, from: _defaultRow(with: slot), slot) {
      return value
    }
    preconditionFailure(
      "A property of type \(Value.self) has no value and no default; make it optional or give it a default."
    )
  }

  /// Writes a Codable value as JSON.
  ///
  /// The property stays as it is, and the next save throws, in two cases: the value's `encode(to:)` throws, or the
  /// stored value was read before and could not be decoded.
  @_disfavoredOverload
  public final func _set<Value: Codable & Sendable>(_ slot: Int, _ value: Value) {
    do {
      guard let data = try _json(for: value, slot) else { return _store(.null, slot) }
      data._withSlotValue { _store($0, slot) }
    } catch {
      _noteUnset(slot, error)
    }
  }

  /// The value of a slot; `nil` when there is none, or when its JSON is not that of the type.
  final func _decoded<Value: Decodable>(_ slot: Int) -> Value? {
    let row = _row ?? _loadedRow(slot)
    do {
      return try JSONValue.decode(Value.self, from: row, slot)
    } catch {
      if !PackedRow.isNull(row, slot) { _noteUndecodable(slot, error) }
      return nil
    }
  }

  /// The JSON that a slot gets for a new value; `nil` for none.
  ///
  /// What is stored stays when only sets and dictionaries in it have another order.
  ///
  /// - Throws: What the value's `encode(to:)` throws, or ``UndecodableValue``.
  final func _json<Value: Codable>(for value: Value, _ slot: Int) throws -> Data? {
    let data = try JSONValue.encode(value)
    let row = _row ?? _loadedRow(slot)
    if PackedRow.isNull(row, slot) { return data }
    if _isUndecodable(slot) {
      do {
        _ = try JSONValue.decode(Value.self, from: row, slot)
      } catch {
        throw UndecodableValue(underlying: error)
      }
    }
    let bytes = PackedRow.bytes(row, slot)
    guard let data, data.count == bytes.count, JSONValue.weight(data) == JSONValue.weight(bytes)
    else { return data }
    let stored = Data._load(row, slot)
    guard data != stored, JSONValue.isReordered(data, stored),
      let old = try? JSONValue.decode(Value.self, from: row, slot), isSame(old, value)
    else { return data }
    return stored
  }

  /// Keeps what is wrong with a new value that was not set, for the next save to throw.
  final func _noteUnset(_ slot: Int, _ error: any Error) {
    guard let home = _home else { return }
    let layout = home.pointee.layout
    let problem: PerennialError =
      if let error = error as? UndecodableValue {
        .undecodable(self, slot, layout, "and was not overwritten", error.underlying)
      } else {
        .unencodable(layout.slots[slot].name, of: layout, objectID, error)
      }
    home.pointee.context.note(misuse: problem)
  }

  /// Tells that a stored value is none of its property's type.
  final func _noteUndecodable(_ slot: Int, _ underlying: (any Error)? = nil) {
    guard let home = _home else { return }
    let error = PerennialError.undecodable(
      self,
      slot,
      home.pointee.layout,
      "and reads as its default or nil",
      underlying
    )
    let place = SlotOfEntity(entity: home.pointee.index, slot: slot)
    home.pointee.context.noteUndecodable(error, of: _key, place)
  }

  /// Whether the stored value of a property has been read, and was none of its type.
  final func _isUndecodable(_ slot: Int) -> Bool {
    guard let home = _home else { return false }
    let known = home.pointee.context.faulting.undecodable
    return !known.isEmpty
      && known[SlotOfEntity(entity: home.pointee.index, slot: slot)]?.contains(_key) == true
  }
}

/// A stored value was read as its property's default, as its type cannot decode it, and must not be overwritten so.
struct UndecodableValue: Error {
  let underlying: any Error
}

/// A property of an entity, by its place.
struct SlotOfEntity: Hashable {
  let entity: Int
  let slot: Int
}

extension ManagedObjectContext {
  /// Notes a stored value that was read as its property's default; a debug build tells of the first of each property.
  fileprivate func noteUndecodable(
    _ error: PerennialError,
    of key: Int64,
    _ place: SlotOfEntity
  ) {
    lastFaultError = error
    let isFirst = faulting.undecodable[place] == nil
    // Before the log: who takes it may read the property.
    faulting.undecodable[place, default: []].insert(key)
    if isFirst, FaultAlarm.isOn { coordinator.log(.warning, error.message) }
  }
}

/// Codable values in slots.
enum JSONValue {
  static func decode<Value: Decodable>(
    _ type: Value.Type,
    from row: UnsafeRawPointer,
    _ slot: Int
  ) throws -> Value {
    try decode(type, from: PackedRow.isNull(row, slot) ? nil : Data._load(row, slot))
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data?) throws -> Value {
    try JSONDecoder.forStores(.marked).decode(type, from: data ?? Data("null".utf8))
  }

  /// The value as JSON; `nil` for `nil`.
  ///
  /// Equal values have equal bytes, but for the elements of sets, and of dictionaries whose keys are no texts, which
  /// have no order.
  static func encode(_ value: some Encodable) throws -> Data? {
    let data = try JSONEncoder.forStores(.marked).encode(value)
    return data == Data("null".utf8) ? nil : data
  }

  /// A number that two texts of the same bytes in any order share: most that differ are told apart by it.
  static func weight(_ text: some Sequence<UInt8>) -> Int {
    text.reduce(0) { $0 &+ Int($1) &* Int($1) &* Int($1) }
  }

  /// Whether two texts differ in nothing but the order of lists.
  static func isReordered(_ data: Data, _ other: Data) -> Bool {
    guard let values = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed),
      let others = try? JSONSerialization.jsonObject(with: other, options: .fragmentsAllowed)
    else { return false }
    return sorted(values) == sorted(others)
  }

  private static func sorted(_ json: Any) -> String {
    switch json {
    case let list as [Any]: "[\(list.map(sorted).sorted().joined(separator: ","))]"
    case let members as [String: Any]:
      "{\(members.map { "\($0.debugDescription):\(sorted($1))" }.sorted().joined(separator: ","))}"
    case let text as String: text.debugDescription
    default: "\(json)"
    }
  }
}

/// Whether two values consist of the same, but for the order of sets and dictionaries; `false` in doubt.
///
/// Their own `==` may look at less of them, an ID for instance: it decides about what has no parts only.
private func isSame(_ value: Any, _ other: Any) -> Bool {
  if let value = value as? any Unordered { return value.hasSameElements(as: other) }
  let (parts, others) = (Mirror(reflecting: value), Mirror(reflecting: other))
  // Those of a class may be those of its superclass, and change.
  if parts.displayStyle == .class { return false }
  if value is any AttributeValue || parts.children.isEmpty { return isEqual(value, other) }
  return parts.children.count == others.children.count
    && zip(parts.children, others.children).allSatisfy {
      $0.label == $1.label && isSame($0.value, $1.value)
    }
}

private func isEqual(_ value: Any, _ other: Any) -> Bool {
  func isEqual<Value: Equatable>(_ value: Value) -> Bool { value == other as? Value }
  return (value as? any Equatable).map { isEqual($0) } ?? false
}

/// A collection whose elements have no order.
private protocol Unordered {
  func hasSameElements(as other: Any) -> Bool
}

extension Set: Unordered {
  fileprivate func hasSameElements(as other: Any) -> Bool {
    guard let other = other as? Self, count == other.count else { return false }
    return allSatisfy { element in
      other.firstIndex(of: element).map { isSame(element, other[$0]) } ?? false
    }
  }
}

extension Dictionary: Unordered {
  fileprivate func hasSameElements(as other: Any) -> Bool {
    guard let other = other as? Self, count == other.count else { return false }
    return allSatisfy { pair in
      other.index(forKey: pair.key).map { isSame(pair, other[$0]) } ?? false
    }
  }
}
