// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import Perennial

// The properties of a request take Foundation's classes too. Where nothing says which of the two
// types is meant, that of the library is.

extension FetchRequest {
  /// The condition as Foundation's class; `nil` for all objects.
  ///
  /// Core Data: `NSFetchRequest.predicate`.
  @_disfavoredOverload public var predicate: NSPredicate? {
    get { self.PerennialGraph::predicate.map { NSPredicate($0) } }
    set { self.PerennialGraph::predicate = newValue.map { FetchPredicate($0) } }
  }

  /// The order as Foundation's class describes it, the most significant sort first; `nil` for none.
  ///
  /// Core Data: `NSFetchRequest.sortDescriptors`.
  @_disfavoredOverload public var sortDescriptors: [NSSortDescriptor]? {
    get {
      let sorts = self.PerennialGraph::sortDescriptors.map {
        NSSortDescriptor(key: $0.key, ascending: $0.ascending)
      }
      return sorts.isEmpty ? nil : sorts
    }
    set { self.PerennialGraph::sortDescriptors = (newValue ?? []).map { FetchSort($0) } }
  }
}
