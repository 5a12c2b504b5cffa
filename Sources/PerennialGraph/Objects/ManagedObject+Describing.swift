// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

// What print, dump and a debugger show of an object. Nothing is loaded or observed for it.

extension ManagedObject: CustomReflectable {
  /// The object's properties as texts, for `dump` to show.
  ///
  /// Nothing is loaded.
  ///
  /// - Complexity: Linear in the number of properties.
  public final var customMirror: Mirror {
    Mirror(
      self,
      children: (_survivor ?? self)._describedValues.map { (label: $0, value: $1 as Any) },
      displayStyle: .class,
      ancestorRepresentation: .suppressed
    )
  }

  /// The text of `description`.
  final func _describe() -> String {
    let object = _survivor ?? self
    let values = object._describedValues.map { "\($0): \($1.text)" }
    let parts = [object._describedState].compactMap(\.self) + values
    return "\(object.objectID) (\(parts.joined(separator: ", ")))"
  }

  /// What is to be known of the object before its values; `nil` for a saved one without changes.
  private final var _describedState: String? {
    if isGone { return "gone" }
    guard _home != nil else { return "without a context" }
    switch _state {
    case .inserted: return "new"
    case .updated: return "changed"
    case .deleted, .deletedInsertion: return "deleted"
    case nil: return _row == nil ? "fault" : nil
    }
  }

  /// The properties by name; none of a fault, or of an object without a context.
  ///
  /// Safe because the row is that of the object, and is read at once.
  private final var _describedValues: [(name: String, value: DescribedValue)] {
    guard let home = _home, let row = _row else { return [] }
    let layout = home.pointee.layout
    let attributes = layout.slots.indices.map { slot in
      (layout.slots[slot].name, DescribedValue(_propertyValue(slot, of: row)))
    }
    return attributes
      + layout.toManys.map { ($0.name, DescribedValue(text: _describedMembers(of: $0, home))) }
  }

  /// How many objects a to-many relationship has, when they are known.
  private final func _describedMembers(
    of relationship: RelationshipLayout,
    _ home: UnsafeMutablePointer<EntityHome>
  ) -> String {
    let context = home.pointee.context
    let isLoaded = context.relationships.loaded[context.ownerKey(self, relationship)] != nil
    guard isLoaded || !context.isKnownAbove(self),
      let count = try? context.memberCount(of: self, relationship)
    else { return "fault" }
    return count == 1 ? "1 object" : "\(count) objects"
  }
}

/// The text of a value, which `dump` does not take to pieces.
private struct DescribedValue: CustomStringConvertible, CustomReflectable {
  let text: String
  var description: String { text }
  var customMirror: Mirror { Mirror(self, children: []) }

  init(text: String) { self.text = text }

  init(_ value: PropertyValue) {
    switch value {
    case .null: text = "nil"
    case .string(let string) where string.count > 100:
      text = String(string.prefix(100)).debugDescription + "…"
    case .string(let string): text = string.debugDescription
    // The text of such a date is none, or ends the program.
    case .date(let date) where !date.timeIntervalSinceReferenceDate.isFinite:
      text = "\(date.timeIntervalSinceReferenceDate)"
    case .data(let data): text = "\(data.count) bytes"
    default: text = value.sendable.map { "\($0)" } ?? "nil"
    }
  }
}
