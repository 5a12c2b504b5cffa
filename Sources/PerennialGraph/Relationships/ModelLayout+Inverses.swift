// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension ModelLayout {
  /// The delete rule of the relationship that leads back.
  func deleteRule(of inverse: RelationshipLayout.Inverse) -> DeleteRule? {
    let entity = entities[inverse.entity]
    let relationship =
      switch inverse.place {
      case .slot(let slot): entity.slots[slot].relationship
      case .toMany(let number): entity.toManys[number]
      }
    return relationship?.description.deleteRule
  }
}
