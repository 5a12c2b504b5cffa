// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import Perennial

// Access by name as programs for Core Data expect it: numbers in boxes, and objects as values. The library's members
// of the same signatures are disfavored overloads, so these take their place.

#if !canImport(Darwin)

extension ManagedObject {
  /// The value of a property by name; numbers and truth values come as `NSNumber`.
  ///
  /// So `as? Int`, `as? Int32`, `as? Double` and `as? Bool` work, whatever the attribute's width. A to-one
  /// relationship gives its object's ID, a to-many relationship an array of IDs; `object(forKey:)` and
  /// `objects(forKey:)` give objects.
  ///
  /// Core Data: `NSManagedObject.value(forKey:)`.
  ///
  /// - Parameter key: The property's name.
  /// - Returns: The value, `nil` for none.
  /// - Throws: `unknownName` (200003).
  public func value(forKey key: String) throws(PerennialError) -> (any Sendable)? {
    try self.PerennialGraph::value(forKey: key).map(boxed)
  }

  /// Sets an attribute or a to-one relationship by name.
  ///
  /// Core Data: `NSManagedObject.setValue(_:forKey:)`.
  ///
  /// - Parameters:
  ///   - value: The value, an object for a relationship, or `nil` or `NSNull` for none.
  ///   - key: The property's name.
  /// - Throws: `unknownName` (200003), or `typeMismatch` (200004) for a value of another type, a to-many
  ///   relationship or a derived attribute.
  public func setValue(_ value: Any?, forKey key: String) throws(PerennialError) {
    if let object = value as? ManagedObject { return try setObject(object, forKey: key) }
    guard value == nil || value is NSNull else {
      return try self.PerennialGraph::setValue(value, forKey: key)
    }
    do throws(PerennialError) {
      try setObject(nil, forKey: key)
    } catch {
      // It is no to-one relationship.
      guard error.code == .typeMismatch else { throw error }
      try self.PerennialGraph::setValue(value, forKey: key)
    }
  }

  /// Sets attributes and to-one relationships by name, in no particular order.
  ///
  /// Core Data: `setValuesForKeys(_:)`.
  ///
  /// - Parameter keyedValues: Values by name, `NSNull` for none.
  /// - Throws: As `setValue(_:forKey:)`; some of the values may be set then.
  public func setValuesForKeys(_ keyedValues: [String: Any]) throws(PerennialError) {
    for (key, value) in keyedValues { try setValue(value, forKey: key) }
  }
}

extension ManagedObjectContext {
  /// Fetches values as dictionaries; numbers and truth values come as `NSNumber`.
  ///
  /// Core Data: a request with `NSFetchRequestResultType.dictionaryResultType`.
  ///
  /// - Parameter request: What to fetch.
  /// - Returns: A dictionary for each object or group.
  /// - Throws: As the library's method of this name.
  /// - Complexity: As the library's.
  public func fetchDictionaries<Object>(
    _ request: FetchRequest<Object>
  ) throws(PerennialError) -> [[String: any Sendable]] {
    try self.PerennialGraph::fetchDictionaries(request).map { $0.mapValues(boxed) }
  }
}

/// A number in a box, which can be cast to every type of numbers; all else as it is.
private func boxed(_ value: any Sendable) -> any Sendable {
  switch value {
  case let value as Int64: NSNumber(value: value)
  case let value as Double: NSNumber(value: value)
  case let value as Bool: NSNumber(value: value)
  default: value
  }
}

#endif
