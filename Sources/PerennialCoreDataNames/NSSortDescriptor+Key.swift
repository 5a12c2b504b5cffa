// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import Perennial

#if !canImport(Darwin)

/// What a descriptor with a key sorts by: the value that an object has for it.
private struct KeyedValue: Comparable {
  let key: String
  let value: PropertyValue

  static func == (left: Self, right: Self) -> Bool { order(left, right) == 0 }
  static func < (left: Self, right: Self) -> Bool { order(left, right) < 0 }

  private static func order(_ left: Self, _ right: Self) -> Int {
    FetchSort(left.key).order(left.value, right.value)
  }
}

extension Any? {
  /// The value at a key; what has none has the value nil.
  ///
  /// Foundation's descriptors hold a key path and apply it to any object, so its root is `Any?`.
  fileprivate subscript(key key: String) -> KeyedValue {
    KeyedValue(key: key, value: PropertyValue(of: self, at: key))
  }
}

extension PropertyValue {
  /// The value of a dictionary or of a managed object at a key path; nil when there is none.
  fileprivate init(of object: Any?, at keyPath: String) {
    let source = (object as? ManagedObject).map { $0.keyValueSource } ?? object
    self = (try? FetchSort(keyPath).value(of: source)) ?? .null
  }
}

extension NSSortDescriptor {
  /// A descriptor that sorts by the values at a key.
  ///
  /// - Parameters:
  ///   - key: A property's name, or a key path through to-one relationships: `author.name`.
  ///   - ascending: Whether small values come first.
  public convenience init(key: String?, ascending: Bool) {
    self.init(keyPath: \Any?.[key: key ?? "self"], ascending: ascending)
  }

  /// A descriptor that sorts by a property of a managed class, even if it is not `Comparable`, such as an optional
  /// or a `Bool`.
  ///
  /// An absent value comes first, and `false` comes before `true`.
  ///
  /// - Parameters:
  ///   - keyPath: A key path to a property of the class. For a property of a related object, use a key:
  ///     `author.name`.
  ///   - ascending: Whether small values come first.
  @_disfavoredOverload
  public convenience init<Root: ManagedObject, Value>(
    keyPath: KeyPath<Root, Value>,
    ascending: Bool
  ) {
    self.init(key: Root.propertyName(for: keyPath) ?? noKey, ascending: ascending)
  }

  /// The key or key path by name, when the descriptor was made with one.
  public var key: String? {
    (keyPath as? KeyPath<Any?, KeyedValue>).map { (Any?).none[keyPath: $0].key }
  }
}

#endif

/// The key of a descriptor that has none, which no entity has.
private let noKey = "(a key path that is no property)"

extension FetchSort {
  /// A sort as Foundation's class describes it.
  ///
  /// - Parameter descriptor: A descriptor made with a key, or with a key path to a property of a managed class.
  ///   Others sort by an unknown name, so that the fetch throws.
  public init(_ descriptor: NSSortDescriptor) {
    self.init(descriptor.key ?? descriptor.propertyName, ascending: descriptor.ascending)
  }
}

extension NSSortDescriptor {
  fileprivate var propertyName: String {
    #if canImport(Darwin)
    return noKey
    #else
    let root = type(of: keyPath).rootType as? ManagedObject.Type
    return root?.propertyName(for: keyPath) ?? noKey
    #endif
  }
}
