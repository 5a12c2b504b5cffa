// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What a property of a row has.
enum StoredValue: Hashable {
  case value(PropertyValue)
  /// The elements of a composite attribute.
  case composite([Element])
  /// The objects of a to-many relationship: in its order if it has one, else by their keys.
  case objects([ManagedObjectID])

  struct Element: Hashable {
    let name: String
    let value: PropertyValue
  }
}

/// A row of a store with the values of all its properties.
struct StoredRow {
  let id: ManagedObjectID
  /// The properties in the order of the model.
  let values: [(name: String, value: StoredValue)]
}
