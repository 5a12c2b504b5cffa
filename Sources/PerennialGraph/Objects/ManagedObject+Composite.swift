// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Composite attributes as wholes: dictionaries of their elements, nested for elements that are
// composite themselves. The elements have slots of their own, under names such as `address.city`.

extension ManagedObject {
  /// The elements of a composite attribute that have a value; `nil` when there is no such attribute.
  final func _compositeValue(
    _ key: String,
    _ layout: EntityLayout
  ) throws(PerennialError) -> (any Sendable)?? {
    let elements = layout.elements(of: key)
    guard !elements.isEmpty else { return nil }
    try _checkLazyLoad(key)
    return .some(elements.nested { _propertyValue($0) })
  }

  /// Sets all elements of a composite attribute; those that the dictionary lacks become `nil`.
  ///
  /// - Returns: Whether there is such an attribute.
  final func _setCompositeValue(
    _ value: Any?,
    _ key: String,
    _ layout: EntityLayout
  ) throws(PerennialError) -> Bool {
    let elements = layout.elements(of: key)
    guard let slot = elements.first?.slot else { return false }
    guard let values = value as? [String: Any]? else {
      throw .wrongType(key, of: layout, slot: slot)
    }
    let flat = Self.flat(values ?? [:])
    for name in flat.keys where !elements.contains(where: { $0.name == name }) {
      throw .unknownProperty("\(key).\(name)", of: layout)
    }
    var slotValues: [(slot: Int, type: AttributeType, value: PropertyValue)] = []
    for (name, slot) in elements {
      guard let type = layout.slots[slot].attribute?.type,
        let value = PropertyValue(flat[name], as: type)
      else { throw .wrongType("\(key).\(name)", of: layout, slot: slot) }
      slotValues.append((slot, type, value))
    }
    try _checkLazyLoad(key)
    for (slot, type, value) in slotValues {
      value.withSlotValue(as: type) { _store($0, slot) }
    }
    return true
  }

  private static func flat(_ values: [String: Any]) -> [String: Any] {
    var flat: [String: Any] = [:]
    for (name, value) in values {
      guard let nested = value as? [String: Any] else {
        flat[name] = value
        continue
      }
      for (rest, value) in self.flat(nested) { flat["\(name).\(rest)"] = value }
    }
    return flat
  }
}

extension EntityLayout {
  /// The slots of a composite attribute, by the names of its elements; none when there is no such attribute.
  func elements(of key: String) -> [(name: String, slot: Int)] {
    slots.enumerated().compactMap { slot, layout in
      guard layout.name.hasPrefix(key + ".") else { return nil }
      return (String(layout.name.dropFirst(key.count + 1)), slot)
    }
  }
}

extension [(name: String, slot: Int)] {
  /// The values of a composite attribute's elements in dictionaries; `nil` when none has a value.
  func nested(_ value: (Int) -> PropertyValue) -> [String: any Sendable]? {
    var values: [String: any Sendable] = [:]
    for (name, slot) in self {
      if let value = value(slot).sendable { values.put(value, at: name[...]) }
    }
    return values.isEmpty ? nil : values
  }
}

extension [String: any Sendable] {
  /// Puts a value at a path of names, in dictionaries inside dictionaries.
  fileprivate mutating func put(_ value: any Sendable, at path: Substring) {
    guard let dot = path.firstIndex(of: ".") else {
      self[String(path)] = value
      return
    }
    let name = String(path[..<dot])
    var nested = self[name] as? [String: any Sendable] ?? [:]
    nested.put(value, at: path[path.index(after: dot)...])
    self[name] = nested
  }
}
