// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import PerennialModel
public import PerennialPredicate

extension FetchSort {
  /// A sort by a property.
  ///
  /// - Parameters:
  ///   - keyPath: A stored property of a managed class. Any other key path sorts by an unknown name,
  ///     which is an error of the fetch.
  ///   - order: Forward or reverse.
  ///   - comparison: How text is compared.
  public init<Object: ManagedObject, Value>(
    _ keyPath: KeyPath<Object, Value>,
    _ order: SortOrder = .forward,
    comparison: Comparison = .binary
  ) {
    self.init(
      Object.name(of: keyPath),
      ascending: order == .forward,
      comparison: comparison
    )
  }

  /// A sort by a property of a related object.
  ///
  /// - Parameters:
  ///   - relationship: A to-one relationship.
  ///   - keyPath: A property of the object that it leads to.
  ///   - order: Forward or reverse.
  ///   - comparison: How text is compared.
  public init<Object: ManagedObject, Destination: ManagedObject, Value>(
    _ relationship: KeyPath<Object, Destination?>,
    _ keyPath: KeyPath<Destination, Value>,
    _ order: SortOrder = .forward,
    comparison: Comparison = .binary
  ) {
    self.init(
      Object.name(of: relationship) + "." + Destination.name(of: keyPath),
      ascending: order == .forward,
      comparison: comparison
    )
  }

  /// A sort made from Foundation's `SortDescriptor`.
  ///
  /// - Parameter descriptor: A descriptor made from a key path. Any other sorts by an unknown name,
  ///   which is an error of the fetch.
  public init<Object: ManagedObject>(_ descriptor: SortDescriptor<Object>) {
    let name = descriptor.keyPath.map { Object.name(of: $0) } ?? "(no key path)"
    self.init(name, ascending: descriptor.order == .forward)
  }
}

extension ManagedObject {
  /// The name of a property, or the key path's description when it is none.
  static func name(of keyPath: AnyKeyPath) -> String {
    propertyName(for: keyPath) ?? String(describing: keyPath)
  }
}
