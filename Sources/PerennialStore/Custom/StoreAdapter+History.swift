// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

// A store that claims `history` keeps the history as rows; that of another one is kept here while the
// store is open, with numbers that no earlier opening has given.

extension StoreAdapter: HistoryStore {
  /// Notices a history that somebody else has turned on.
  func noteHistory(_ turn: inout Turn) throws(PerennialError) {
    guard !turn.keepsHistory, claims.contains(.history), !claims.contains(.unshared),
      let head = try storedHistory.head()
    else { return }
    turn.keepsHistory = true
    turn.keepsOldValues = head.keepsOldValues
  }

  var storedHistory: StoredHistory { StoredHistory(store: store, identifier: identifier) }

  package func historyExtent() throws(PerennialError) -> HistoryExtent {
    try inTurn { turn throws(PerennialError) -> HistoryExtent in
      guard claims.contains(.history) else { return turn.history.extent }
      let head = try storedHistory.head() ?? StoredHistory.Head()
      return HistoryExtent(first: head.first, last: head.last)
    }
  }

  package func history(
    _ query: HistoryQuery
  ) throws(PerennialError) -> [PersistentHistoryTransaction] {
    try inTurn { turn throws(PerennialError) -> [PersistentHistoryTransaction] in
      guard claims.contains(.history) else { return turn.history.select(query) }
      return try storedHistory.transactions(query)
    }
  }

  package func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int {
    try checkWritable()
    return try inTurn { turn throws(PerennialError) -> Int in
      guard claims.contains(.history) else { return turn.history.delete(before: place) }
      var count = 0
      _ = try saveWithHistory(&turn) { () throws(PerennialError) in
        let deletion = try storedHistory.deletion(before: place)
        count = deletion.count
        return count > 0 ? deletion.changes : nil
      }
      return count
    }
  }

  /// The root entities whose rows and lists tell what a change set does to relationships.
  func rootsOfHistory(_ changes: ChangeSet, keepsOldValues: Bool) -> Set<Int> {
    var entities: Set<Int> = []
    for change in changes.links {
      let link = model.links[change.link]
      entities.formUnion([link.first.entity, link.second.entity])
    }
    for change in changes.orders {
      entities.formUnion([change.relationship.entity, change.relationship.destination])
    }
    for batch in changes.deletions {
      let entity = model.entities[batch.entity]
      noteLists(around: entity, in: &entities)
      if keepsOldValues { noteOrders(named: entity.slots, in: &entities) }
    }
    for batch in changes.updates where keepsOldValues {
      let slots = model.entities[batch.entity].slots
      noteOrders(named: batch.slots.map { slots[$0] }, in: &entities)
    }
    return Set(entities.map { model.entities[$0].root })
  }

  /// Notes what has lists with a row of an entity in them.
  private func noteLists(around entity: EntityLayout, in entities: inout Set<Int>) {
    for link in model.links {
      let ends = [link.first.entity, link.second.entity]
      if ends.contains(where: { model.entities[$0].family.contains(entity.index) }) {
        entities.formUnion(ends)
      }
    }
    for relationship in entity.toManys where relationship.isOrdered {
      entities.formUnion([relationship.entity, relationship.destination])
    }
  }

  /// Notes what has an order that a row leaves whose values are replaced.
  private func noteOrders(named slots: [SlotLayout], in entities: inout Set<Int>) {
    for relationship in slots.compactMap(\.relationship)
    where relationship.inverse?.isOrdered == true {
      entities.formUnion([relationship.entity, relationship.destination])
    }
  }
}
