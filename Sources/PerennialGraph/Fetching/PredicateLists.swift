// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate

// Collections of objects as the arguments of predicates.

extension ToMany: PredicateListArgument {
  /// The objects' IDs.
  package var predicateMembers: any Collection { objectIDs }
}

extension OrderedToMany: PredicateListArgument {
  /// The objects' IDs.
  package var predicateMembers: any Collection { objectIDs }
}

extension FetchResultsCollection: PredicateListArgument {
  /// The objects' IDs.
  package var predicateMembers: any Collection { indices.map(objectID(at:)) }
}
