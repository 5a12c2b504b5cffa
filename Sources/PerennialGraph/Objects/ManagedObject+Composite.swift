// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
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
    guard let values = try layout.elementValues(value, of: key) else { return false }
    try _checkLazyLoad(key)
    for (slot, type, value) in values {
      value.withSlotValue(as: type) { _store($0, slot) }
    }
    return true
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

  /// The values that a composite attribute's elements get, of its struct or of a dictionary of elements.
  ///
  /// - Returns: `nil` when there is no such attribute.
  /// - Throws: `unknownName` (200003) for an element that it does not have, or `typeMismatch` (200004).
  func elementValues(
    _ value: Any?,
    of key: String
  ) throws(PerennialError) -> [(slot: Int, type: AttributeType, value: PropertyValue)]? {
    let elements = elements(of: key)
    guard let first = elements.first else { return nil }
    let given: [String: Any]
    switch value {
    case nil, is NSNull: given = [:]
    case let value as [String: Any]: given = Self.flat(value)
    case let value as any CompositeAttribute: given = try fields(of: value, key)
    default: throw .wrongType(key, of: self, slot: first.slot)
    }
    for name in given.keys where !elements.contains(where: { $0.name == name }) {
      throw .unknownProperty("\(key).\(name)", of: self)
    }
    var values: [(slot: Int, type: AttributeType, value: PropertyValue)] = []
    for (name, slot) in elements {
      guard let type = slots[slot].attribute?.type,
        let value = PropertyValue(given[name], for: slots[slot])
      else { throw .wrongType("\(key).\(name)", of: self, slot: slot) }
      values.append((slot, type, value))
    }
    return values
  }

  /// The elements of a struct by their names, the values of nested ones as `spot.x`.
  private func fields(
    of value: any CompositeAttribute,
    _ key: String
  ) throws(PerennialError) -> [String: Any] {
    var writer = _ElementWriter()
    value._write(to: &writer)
    if let failure = writer.failure {
      throw .unencodable(key, of: self, nil, failure.error)
    }
    let names = type(of: value)._elements.flatMap(Self.names)
    return Dictionary(
      zip(names, writer.values).compactMap { name, value in value.sendable.map { (name, $0) } },
      uniquingKeysWith: { $1 }
    )
  }

  private static func names(of property: PropertyDescription) -> [String] {
    guard case .attribute(let attribute) = property, attribute.type == .composite else {
      return [property.name]
    }
    return attribute.elements.flatMap { names(of: .attribute($0)) }
      .map { "\(attribute.name).\($0)" }
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
