// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Synchronization

// Composite attributes as structs. The first element lies in the slot that the class gives the
// attribute; the layout knows where the others are.

extension ManagedObject {
  /// Reads a composite attribute.
  public final func _get<Value: CompositeAttribute>(_ slot: Int) -> Value {
    var reader = _ElementReader(self, slots: _elementSlots(slot))
    return Value(_reading: &reader)
  }

  /// Reads an optional composite attribute; `nil` when none of its elements has a value.
  public final func _get<Value: CompositeAttribute>(_ slot: Int) -> Value? {
    let slots = _elementSlots(slot)
    if has(.isObserved) { for slot in slots { _noteAccess(slot) } }
    var reader = _ElementReader(self, slots: slots)
    return reader.read()
  }

  /// Writes a composite attribute; elements that keep their values do not count as changed.
  public final func _set<Value: CompositeAttribute>(_ slot: Int, _ value: Value) {
    _setElements(slot, asRead: { $0.write($1._get(slot) as Value) }, { $0.write(value) })
  }

  /// Writes an optional composite attribute.
  public final func _set<Value: CompositeAttribute>(_ slot: Int, _ value: Value?) {
    _setElements(slot, asRead: { $0.write($1._get(slot) as Value?) }, { $0.write(value) })
  }

  /// Writes all elements, or none when one cannot be set.
  private final func _setElements(
    _ slot: Int,
    asRead: (inout _ElementWriter, ManagedObject) -> Void,
    _ write: (inout _ElementWriter) -> Void
  ) {
    guard let object = _writable(slot), let layout = object._home?.pointee.layout else { return }
    let slots = object._elementSlots(slot)
    var writer = _ElementWriter(object, slots: slots)
    if slots.contains(where: object._isUndecodable) {
      var read = _ElementWriter()
      asRead(&read, object)
      writer.readValues = read.values
    }
    write(&writer)
    if let failure = writer.failure {
      let place = slots.dropFirst(failure.place).first ?? slot
      return object._noteUnset(place, failure.error)
    }
    for (slot, value) in zip(slots, writer.values) {
      guard let type = layout.slots[slot].attributeType else { continue }
      value.withSlotValue(as: type) { object._store($0, slot) }
    }
  }

  /// The slots of the elements of the composite attribute that begins at one.
  private final func _elementSlots(_ slot: Int) -> [Int] {
    let known = _home?.pointee.layout.elementSlots ?? ElementSlots.of(type(of: self))
    return known[slot] ?? [slot]
  }
}

/// The slots of composite attributes by class, for objects that have left their context.
enum ElementSlots {
  private static let known = Mutex<[ObjectIdentifier: [Int: [Int]]]>([:])

  /// Notes the slots of a class that has composite attributes.
  static func note(_ layout: EntityLayout, of type: ManagedObject.Type) {
    guard !layout.elementSlots.isEmpty else { return }
    known.withLock { $0[ObjectIdentifier(type)] = layout.elementSlots }
  }

  /// The slots of a class.
  static func of(_ type: ManagedObject.Type) -> [Int: [Int]] {
    known.withLock { $0[ObjectIdentifier(type)] ?? [:] }
  }
}
