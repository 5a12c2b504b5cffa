// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// An enum with texts behind it is ordered in a typed condition: a store would take the order of the texts.
// expect: referencing operator function '>' on 'PredicateValue' requires that 'Urgency' conform to 'AttributeValue'

import Perennial

enum Urgency: String, Codable, Sendable, Comparable {
  case low, high

  static func < (left: Self, right: Self) -> Bool { left == .low && right == .high }
}

@Managed final class Errand: ManagedObject {
  var urgency: Urgency?
}

func urgent() -> FetchRequest<Errand> {
  Errand.filter { $0.urgency > .low }
}
