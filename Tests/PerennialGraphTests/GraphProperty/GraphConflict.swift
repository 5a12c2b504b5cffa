// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph

/// Two contexts change the name or the number of one object: the table of SEMANTICS 1M.
struct GraphConflict {
  let original: GraphOracle.Object
  /// What the first context changed, which has saved, and what the second one did.
  let stored: Set<String>
  let edited: Set<String>
  let stamp: Int

  func outcome(under policy: MergePolicy) -> GraphOracle.Object {
    var object = original
    let isConflict = !stored.isEmpty && !edited.isEmpty
    guard isConflict else {
      apply(stored, stamp, to: &object)
      apply(edited, stamp + 1, to: &object)
      return object
    }
    if policy != .overwrite { apply(stored, stamp, to: &object) }
    switch policy {
    case .mergeByPropertyObjectTrump, .overwrite: apply(edited, stamp + 1, to: &object)
    case .mergeByPropertyStoreTrump:
      apply(edited.subtracting(stored), stamp + 1, to: &object)
    default: break
    }
    return object
  }

  private func apply(_ keys: Set<String>, _ value: Int, to object: inout GraphOracle.Object) {
    if keys.contains("name") { object.name = "\(value)" }
    if keys.contains("number") { object.number = value }
  }
}
