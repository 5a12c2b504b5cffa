// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate

extension StoreAdapter {
  package func execute(_ statement: BatchStatement) throws(PerennialError) -> BatchOutcome? {
    guard let batch = batch(statement) else { return nil }
    try checkWritable()
    let count = try inTurn { turn throws(PerennialError) -> Int? in
      try noteHistory(&turn)
      // The store names no rows for a history.
      if turn.keepsHistory { return nil }
      // What is stored then, or after a failure, only the store knows.
      turn.kept = nil
      let changed = try PerennialError.writing { try unlessRefused { try store.execute(batch) } }
      tally.note(rows: 0)
      return changed
    }
    return count.map { BatchOutcome(count: $0, references: []) }
  }

  /// What the store is asked for a statement; `nil` when the rows must be read and saved.
  private func batch(_ statement: BatchStatement) -> StoreBatch? {
    let query = statement.query
    guard claims.contains(.batch), !statement.namesRows,
      case .all = query.scope, query.limit == 0, query.offset <= 0,
      query.predicate == nil || claims.contains(.filter)
    else { return nil }
    var request = wholeRequest(for: query)
    request.predicate = query.predicate
    switch statement.action {
    case .delete: return StoreBatch(request, .delete)
    case .update(let slots, let row):
      let isConstrained = model.entities[query.entity].family.contains { entity in
        model.entities[entity].constraints.joined().contains(where: slots.contains)
      }
      guard !isConstrained else { return nil }
      return StoreBatch(request, .update(coder.values(of: row, slots: slots)))
    }
  }

  /// What a call gives; `nil` when the store would rather not answer.
  func unlessRefused<Result>(_ call: () throws -> Result) throws -> Result? {
    do {
      return try call()
    } catch is PreferInMemory {
      return nil
    }
  }
}
