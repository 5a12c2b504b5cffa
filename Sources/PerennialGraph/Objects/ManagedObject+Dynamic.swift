// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
import PerennialPredicate
import PerennialStore

// Access by name: for entities without a class, and for code that does not know the class. What
// PerennialCoreDataNames has of the same signature is preferred where it is imported.

extension ManagedObject {
  /// The value of a property by name.
  ///
  /// An attribute's value has the Swift type of what is stored (`String`, `Int64`, `Double`, `Bool`, `Date`,
  /// `Decimal`, `Data`, `UUID`, `URL`). An integer of any width is an `Int64`, so `as? Int` is `nil`; a `Float` is
  /// a `Double`. A to-one relationship gives an object's ID. A to-many relationship gives an array of IDs, in order
  /// when it is ordered.
  ///
  /// Core Data: `NSManagedObject.value(forKey:)`.
  ///
  /// - Parameter key: The property's name, or `owner.element` for an element of a composite attribute. The
  ///   composite attribute's own name gives a dictionary of the elements that have values.
  /// - Returns: The value, `nil` for none.
  /// - Throws: `unknownName` (200003).
  @_disfavoredOverload
  public final func value(forKey key: String) throws(PerennialError) -> (any Sendable)? {
    let (object, layout) = try _dynamic(key)
    if let slot = layout.slotsByName[key] {
      try object._checkLazyLoad(key)
      if object.has(.isObserved) { object._noteAccess(slot) }
      return object._propertyValue(slot).sendable
    }
    guard let index = layout.toManysByName[key] else {
      if let composite = try object._compositeValue(key, layout) { return composite }
      throw .unknownProperty(key, of: layout)
    }
    return try object._dynamicMemberIDs(index)
  }

  /// Sets an attribute by name.
  ///
  /// Integers and floating-point numbers of any width are converted when the attribute can hold them. A value of a
  /// type with a raw value, such as an enum, is set as its raw value. A `Float` attribute takes the `Float` that is
  /// nearest to a number. A `Decimal` attribute takes a `Double` as the number that it is printed as: 0.1 for
  /// `0.1`. An attribute of a Codable type takes a value, or the value's JSON as `Data`; the value's type is not
  /// compared with the property's. Values from `JSONSerialization` are taken as they are: `NSNumber` as its number
  /// or truth value, `NSNull` as `nil`. So are `NSString`, `NSDate`, `NSUUID` and `NSURL`.
  ///
  /// Core Data: `NSManagedObject.setValue(_:forKey:)`.
  ///
  /// - Parameters:
  ///   - value: The value, `nil` for none.
  ///   - key: The attribute's name; a composite attribute takes its struct or a dictionary of its elements.
  /// - Throws: `unknownName` (200003), or `typeMismatch` (200004) for a value of another type, a
  ///   relationship or a derived attribute.
  @_disfavoredOverload
  public final func setValue(
    _ value: Any?,
    forKey key: String
  ) throws(PerennialError) {
    let (object, layout) = try _dynamic(key)
    if layout.slotsByName[key] == nil, try object._setCompositeValue(value, key, layout) { return }
    let keyed = try object._keyedValue(value, key)
    try keyed.checkSettable()
    try object._checkLazyLoad(key)
    keyed.withSlotValue { object._store($0, keyed.slot) }
  }

  /// The object that a to-one relationship leads to, by name.
  ///
  /// - Parameter key: The relationship's name.
  /// - Returns: The object, `nil` for none.
  /// - Throws: `unknownName` (200003), or `typeMismatch` (200004) for a property of another kind.
  public final func object(forKey key: String) throws(PerennialError) -> ManagedObject? {
    let (object, layout) = try _dynamic(key)
    guard let slot = layout.slotsByName[key], layout.slots[slot].relationship != nil else {
      throw .wrongKind(key, of: layout)
    }
    try object._checkLazyLoad(key)
    return object._target(slot)
  }

  /// Sets a to-one relationship, and its inverse, by name.
  ///
  /// - Parameters:
  ///   - value: The object, `nil` for none.
  ///   - key: The relationship's name.
  /// - Throws: `unknownName` (200003), or `typeMismatch` (200004) for a property of another kind.
  public final func setObject(
    _ value: ManagedObject?,
    forKey key: String
  ) throws(PerennialError) {
    let (object, layout) = try _dynamic(key)
    guard let slot = layout.slotsByName[key], layout.slots[slot].relationship != nil else {
      throw .wrongKind(key, of: layout)
    }
    try object._checkLazyLoad(key)
    object._setTarget(slot, value)
  }

  /// A view of a to-many relationship, by name.
  ///
  /// Core Data: `NSManagedObject.mutableSetValue(forKey:)`.
  ///
  /// - Parameter key: The relationship's name.
  /// - Returns: The view. For an ordered relationship it lacks the operations that ``orderedObjects(forKey:)`` has.
  /// - Throws: `unknownName` (200003), or `typeMismatch` (200004) for a property of another kind.
  /// - Complexity: O(1); nothing is loaded.
  public final func objects(forKey key: String) throws(PerennialError) -> ToMany<ManagedObject> {
    let (object, layout) = try _dynamic(key)
    guard let index = layout.toManysByName[key] else { throw .wrongKind(key, of: layout) }
    return ToMany(owner: object, index: index)
  }

  /// A view of an ordered to-many relationship, by name.
  ///
  /// Core Data: `NSManagedObject.mutableOrderedSetValue(forKey:)`.
  ///
  /// ```swift
  /// try album.orderedObjects(forKey: "tracks").move(from: 3, to: 0)
  /// ```
  ///
  /// - Parameter key: The relationship's name.
  /// - Returns: The view.
  /// - Throws: `unknownName` (200003), or `typeMismatch` (200004) for a property of another kind.
  /// - Complexity: O(1); nothing is loaded.
  public final func orderedObjects(
    forKey key: String
  ) throws(PerennialError) -> OrderedToMany<ManagedObject> {
    let (object, layout) = try _dynamic(key)
    guard let index = layout.toManysByName[key], layout.toManys[index].description.isOrdered else {
      throw .wrongKind(key, of: layout)
    }
    return OrderedToMany(owner: object, index: index)
  }

  /// The values of changed properties by name: attributes, and IDs of to-one relationships.
  ///
  /// For a new object, these are the properties that have been assigned. Nothing is loaded.
  ///
  /// Core Data: `NSManagedObject.changedValues()`.
  ///
  /// - Returns: A value for every changed property; `.null` for one that has no value now.
  public final func changedValues() -> [String: PropertyValue] {
    if let survivor = _survivor { return survivor.changedValues() }
    guard let edit = _edit, let home = _home else { return [:] }
    let layout = home.pointee.layout
    return Dictionary(
      uniqueKeysWithValues: EditRecord.changedSlots(edit, layout).map {
        (layout.slots[$0].name, _propertyValue($0))
      }
    )
  }

  /// The values of all attributes and to-one relationships as they were last saved or fetched.
  ///
  /// Core Data: `NSManagedObject.committedValues(forKeys:)`.
  ///
  /// - Returns: A value for each of these properties; an empty dictionary for a new object.
  public final func committedValues() -> [String: PropertyValue] {
    if let survivor = _survivor { return survivor.committedValues() }
    guard let home = _home else { return [:] }
    if _row == nil, _refusesLoad(0) { return [:] }
    let row = _edit == nil ? _loadedRow() : _edit?.pointee.committedRow
    guard let row else { return [:] }
    let layout = home.pointee.layout
    return Dictionary(
      uniqueKeysWithValues: layout.slots.indices.map {
        (layout.slots[$0].name, _propertyValue($0, of: row))
      }
    )
  }

  /// The object to use and its layout; an error when the context is gone.
  private final func _dynamic(
    _ key: String
  ) throws(PerennialError) -> (ManagedObject, EntityLayout) {
    let object = _survivor ?? self
    guard let home = object._home else { throw .objectGone(objectID) }
    return (object, home.pointee.layout)
  }

  /// The attribute of a key, and a value for it.
  ///
  /// - Throws: `unknownName` (200003), or `typeMismatch` (200004) for a value that does not fit or
  ///   a relationship.
  final func _keyedValue(
    _ value: Any?,
    _ key: String
  ) throws(PerennialError) -> KeyedValue {
    let (object, layout) = try _dynamic(key)
    guard let slot = layout.slotsByName[key] else { throw .wrongKind(key, of: layout) }
    guard let attribute = layout.slots[slot].attribute,
      let value = PropertyValue(value, for: layout.slots[slot])
    else { throw .wrongType(key, of: layout, slot: slot) }
    return KeyedValue(
      object: object,
      layout: layout,
      slot: slot,
      attribute: attribute,
      value: value
    )
  }

  /// A slot's value.
  final func _propertyValue(_ slot: Int) -> PropertyValue {
    _propertyValue(slot, of: _row ?? _loadedRow())
  }

  // Safe because a row pointer is used only while the object that owns the row is alive.
  final func _propertyValue(_ slot: Int, of row: UnsafeRawPointer) -> PropertyValue {
    guard let home = _home else { return .null }
    let context = home.pointee.context
    return PackedRow.value(
      row,
      slot,
      in: home.pointee.layout,
      named: context.objectID(of:)
    )
  }
}

/// An attribute that was named by its key, and a value that fits it.
struct KeyedValue {
  let object: ManagedObject
  let layout: EntityLayout
  let slot: Int
  let attribute: AttributeDescription
  let value: PropertyValue

  /// Throws when the attribute is computed by the library.
  func checkSettable() throws(PerennialError) {
    if attribute.derivationExpression != nil {
      throw .derivedIsSet(layout.slots[slot].name, of: layout)
    }
  }

  func withSlotValue(_ body: (SlotValue) -> Void) {
    value.withSlotValue(as: attribute.type, body)
  }
}

extension PropertyValue {
  /// A user's value for an attribute, or `nil` when it does not fit.
  init?(_ value: Any?, for slot: SlotLayout) {
    guard let value else {
      self = .null
      return
    }
    guard let type = slot.attributeType else { return nil }
    let found: PropertyValue
    switch value {
    // Its digits, and not those of the `Double` that it is.
    case let value as Float where type == .decimal:
      found = .double(Double(value.description) ?? Double(value))
    case let value as any AttributeValue: found = value._propertyValue
    case let value as any BinaryInteger where type != .transformable:
      guard let integer = Int64(exactly: value) else { return nil }
      found = .integer(integer)
    case let value as any Encodable where slot.attribute?.isJSON == true:
      do {
        found = try JSONValue.encode(value).map { .data($0) } ?? .null
      } catch {
        return nil
      }
    default:
      guard let boxed = Self.unboxed(value, as: type) else { return nil }
      found = boxed
    }
    guard let fitting = found.widened(to: type).rounded(to: type) else { return nil }
    self = fitting
  }

  /// The value of what is no Swift value of ours: a box of Foundation's, or an enum with a raw value.
  private static func unboxed(_ value: Any, as type: AttributeType) -> PropertyValue? {
    // The box of a 1 does not say whether it means a number or a truth value.
    if type == .bool, let number = value as? NSNumber { return .boolean(number.boolValue) }
    return switch ExpressionNode(argument: value) {
    case .constant(let value): value
    case .null: .null
    default: nil
    }
  }

  /// A floating-point number as an integer or a decimal number of the same value, where the type has those.
  private func widened(to type: AttributeType) -> PropertyValue {
    guard case .double(let number) = self else { return self }
    switch type {
    case .int16, .int32, .int64: return Int64(exactly: number).map { .integer($0) } ?? self
    case .decimal:
      guard case .decimal(let decimal)? = CastType.decimal.convert(self),
        decimal.closestDouble == number
      else { return self }
      return .decimal(decimal)
    default: return self
    }
  }
}
