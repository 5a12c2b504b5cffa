// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A condition: what every spelling of a predicate becomes.
///
/// Trees made by ``conjunction(_:)``, ``disjunction(_:)`` and the format parser are flat: an `and`
/// holds no `and`, an `or` no `or`, and both hold at least two conditions.
package indirect enum PredicateNode: Sendable, Hashable, Codable {
  /// Always true or always false.
  case constant(Bool)
  /// True when every condition is; an empty one is true.
  case and([PredicateNode])
  /// True when some condition is; an empty one is false.
  case or([PredicateNode])
  /// True when the condition is false.
  case not(PredicateNode)
  /// Two values compared.
  case comparison(Comparison)
}

extension PredicateNode {
  /// The flat condition that is true when all the given ones are.
  package static func conjunction(_ nodes: [PredicateNode]) -> PredicateNode {
    let flat = nodes.flatMap { node in
      if case .and(let members) = node { members } else { [node] }
    }
    return flat.count == 1 ? flat[0] : flat.isEmpty ? .constant(true) : .and(flat)
  }

  /// The flat condition that is true when one of the given ones is.
  package static func disjunction(_ nodes: [PredicateNode]) -> PredicateNode {
    let flat = nodes.flatMap { node in
      if case .or(let members) = node { members } else { [node] }
    }
    return flat.count == 1 ? flat[0] : flat.isEmpty ? .constant(false) : .or(flat)
  }
}
