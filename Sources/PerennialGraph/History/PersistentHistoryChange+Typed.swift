// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
public import PerennialStore

// Changes by key path, for entities with a class.

extension PersistentHistoryChange {
  /// Whether an update wrote a property: `change.hasUpdated(\Commit.message)`.
  ///
  /// - Parameter property: A property of the changed object's class.
  /// - Returns: Whether it did; false for a property of another class.
  public func hasUpdated<Object: ManagedEntity>(_ property: PartialKeyPath<Object>) -> Bool {
    guard let name = name(of: property) else { return false }
    return updatedProperties.contains(name)
      || updatedProperties.contains { $0.hasPrefix(name + ".") }
  }

  /// The old value of an attribute, which an update or a deletion has replaced.
  ///
  /// - Parameter property: An attribute of the changed object's class.
  /// - Returns: The value; `nil` when history has none.
  public func oldValue<Object: ManagedEntity, Value: AttributeValue>(
    _ property: KeyPath<Object, Value>
  ) -> Value? {
    name(of: property).flatMap { oldValues[$0] }.flatMap { $0.typed() }
  }

  /// The last value of an attribute of a deleted object.
  ///
  /// - Parameter property: An attribute of the deleted object's class whose value the model preserves.
  /// - Returns: The value; `nil` when history has none.
  public func tombstone<Object: ManagedEntity, Value: AttributeValue>(
    _ property: KeyPath<Object, Value>
  ) -> Value? {
    name(of: property).flatMap { tombstone[$0] }.flatMap { $0.typed() }
  }

  /// The old value of an attribute with a raw value, an enum for instance, which an update or a deletion has
  /// replaced.
  ///
  /// - Parameter property: An attribute of the changed object's class.
  /// - Returns: The value; `nil` when history has none, or a raw value that the type does not know.
  public func oldValue<Object: ManagedEntity, Value: RawRepresentable>(
    _ property: KeyPath<Object, Value>
  ) -> Value? where Value.RawValue: AttributeValue {
    name(of: property).flatMap { oldValues[$0] }.flatMap { $0.raw() }
  }

  /// The old value of an optional attribute with a raw value, which an update or a deletion has replaced.
  ///
  /// - Parameter property: An attribute of the changed object's class.
  /// - Returns: The value; `nil` when history has none, or a raw value that the type does not know.
  public func oldValue<Object: ManagedEntity, Value: RawRepresentable>(
    _ property: KeyPath<Object, Value?>
  ) -> Value?? where Value.RawValue: AttributeValue {
    name(of: property).flatMap { oldValues[$0] }.flatMap { $0.optionalRaw() }
  }

  /// The old value of an attribute of a Codable type, which an update or a deletion has replaced.
  ///
  /// - Parameter property: An attribute of the changed object's class.
  /// - Returns: The value; `nil` when history has none, or one that the type cannot decode.
  @_disfavoredOverload
  public func oldValue<Object: ManagedEntity, Value: Codable & Sendable>(
    _ property: KeyPath<Object, Value>
  ) -> Value? {
    name(of: property).flatMap { oldValues[$0] }.flatMap { $0.decoded() }
  }

  /// Not available for a composite attribute: history has its elements one by one.
  ///
  /// It is deprecated because the compiler would pass over an unavailable method, and take the one for a Codable
  /// type.
  @available(
    *,
    deprecated,
    message: "history has the elements one by one: oldValues[\"address.city\"]"
  )
  public func oldValue<Object: ManagedEntity, Value: CompositeAttribute>(
    _ property: KeyPath<Object, Value>
  ) -> Value? { nil }

  /// Not available for a composite attribute: history has its elements one by one.
  @available(
    *,
    deprecated,
    message: "history has the elements one by one: oldValues[\"address.city\"]"
  )
  public func oldValue<Object: ManagedEntity, Value: CompositeAttribute>(
    _ property: KeyPath<Object, Value?>
  ) -> Value? { nil }

  /// The object to which a to-one relationship led before an update or a deletion.
  ///
  /// - Parameter property: A to-one relationship of the changed object's class.
  /// - Returns: The object's ID; `nil` when the relationship led to no object, or history does not tell.
  public func oldValue<Object: ManagedEntity, Destination: ManagedObject>(
    _ property: KeyPath<Object, Destination?>
  ) -> ManagedObjectID? {
    guard let name = name(of: property), case .objectID(let id)? = oldValues[name] else {
      return nil
    }
    return id
  }

  /// The last value of an attribute with a raw value, an enum for instance, of a deleted object.
  ///
  /// - Parameter property: An attribute of the deleted object's class whose value the model preserves.
  /// - Returns: The value; `nil` when history has none, or a raw value that the type does not know.
  public func tombstone<Object: ManagedEntity, Value: RawRepresentable>(
    _ property: KeyPath<Object, Value>
  ) -> Value? where Value.RawValue: AttributeValue {
    name(of: property).flatMap { tombstone[$0] }.flatMap { $0.raw() }
  }

  /// The last value of an optional attribute with a raw value of a deleted object.
  ///
  /// - Parameter property: An attribute of the deleted object's class whose value the model preserves.
  /// - Returns: The value; `nil` when history has none, or a raw value that the type does not know.
  public func tombstone<Object: ManagedEntity, Value: RawRepresentable>(
    _ property: KeyPath<Object, Value?>
  ) -> Value?? where Value.RawValue: AttributeValue {
    name(of: property).flatMap { tombstone[$0] }.flatMap { $0.optionalRaw() }
  }

  /// The last value of an attribute of a deleted object that has a Codable type.
  ///
  /// - Parameter property: An attribute of the deleted object's class whose value the model preserves.
  /// - Returns: The value; `nil` when history has none, or one that the type cannot decode.
  @_disfavoredOverload
  public func tombstone<Object: ManagedEntity, Value: Codable & Sendable>(
    _ property: KeyPath<Object, Value>
  ) -> Value? {
    name(of: property).flatMap { tombstone[$0] }.flatMap { $0.decoded() }
  }

  /// Not available for a composite attribute: history has its elements one by one.
  ///
  /// It is deprecated because the compiler would pass over an unavailable method, and take the one for a Codable
  /// type.
  @available(
    *,
    deprecated,
    message: "history has the elements one by one: tombstone[\"address.city\"]"
  )
  public func tombstone<Object: ManagedEntity, Value: CompositeAttribute>(
    _ property: KeyPath<Object, Value>
  ) -> Value? { nil }

  /// Not available for a composite attribute: history has its elements one by one.
  @available(
    *,
    deprecated,
    message: "history has the elements one by one: tombstone[\"address.city\"]"
  )
  public func tombstone<Object: ManagedEntity, Value: CompositeAttribute>(
    _ property: KeyPath<Object, Value?>
  ) -> Value? { nil }

  private func name<Object: ManagedEntity>(of property: PartialKeyPath<Object>) -> String? {
    Object.propertyName(for: property)
  }
}

extension PropertyValue {
  /// The value as one of a Swift type; `nil` when it is none.
  ///
  /// Safe because a slot is read as what its value was found to be.
  fileprivate func typed<Value: AttributeValue>() -> Value? {
    let type = Value._attributeType
    guard isNull ? Value._isOptional : fits(type) else { return nil }
    var builder = PageBuilder(byteCount: 256)
    builder.begin(key: 0, version: 0, entity: 0, slotCount: 1)
    withSlotValue(as: type) { value in
      switch value {
      case .null: break
      case .word(let word): builder.put(0, word: word)
      case .bytes(let bytes): builder.put(0, bytes: bytes)
      }
    }
    builder.end()
    let page = builder.seal()
    return Value._load(page.row(0), 0)
  }

  /// The value as one of a type with raw values.
  fileprivate func raw<Value: RawRepresentable>() -> Value?
  where Value.RawValue: AttributeValue {
    isNull ? nil : typed().flatMap { Value(rawValue: $0) }
  }

  /// The value as one of an optional type with raw values.
  fileprivate func optionalRaw<Value: RawRepresentable>() -> Value??
  where Value.RawValue: AttributeValue {
    isNull ? .some(nil) : raw().map { $0 }
  }

  /// The value as one of a Codable type.
  fileprivate func decoded<Value: Decodable>() -> Value? {
    switch self {
    case .null: try? JSONValue.decode(Value.self, from: nil)
    case .data(let data): try? JSONValue.decode(Value.self, from: data)
    default: nil
    }
  }

  private func fits(_ type: AttributeType) -> Bool {
    switch (self, type) {
    case (.boolean, .bool), (.integer, .int16), (.integer, .int32), (.integer, .int64),
      (.double, .double), (.double, .float), (.decimal, .decimal), (.string, .string),
      (.date, .date), (.data, .binaryData), (.data, .transformable), (.uuid, .uuid), (.url, .url):
      true
    default: false
    }
  }
}
