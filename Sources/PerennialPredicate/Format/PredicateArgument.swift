// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A value of a type of ours that predicates accept as an argument, such as a managed object.
package protocol PredicateArgument {
  /// The value that the predicate holds in its place: an object's ID.
  var predicateValue: PropertyValue { get }
}

/// A collection of ours that predicates accept as an argument, such as a to-many relationship.
package protocol PredicateListArgument {
  /// The values that the predicate holds in its place: the objects' IDs, without loading the objects.
  var predicateMembers: any Collection { get }
}
