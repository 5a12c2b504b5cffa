// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// What stores with a history tell of past saves.
  static let historyBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1H.4 persistent history: one transaction for each save", requires: .history) {
      trial in
      try trial.open { $0.historyTracking = true }
      let context = try trial.context()
      context.transactionAuthor = "tester"
      let person = try context.make("Person", ["name": "Ada"])
      try context.save()
      try person.setValue("Eve", forKey: "name")
      try context.save()
      context.delete(person)
      try context.save()
      let history = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
      let transactions = history.transactions
      try expectEqual(transactions.map(\.author), ["tester", "tester", "tester"], "The authors")
      let types = transactions.flatMap(\.changes).map(\.changeType)
      try expectEqual(types, [.insert, .update, .delete], "The kinds of change")
      let updated = transactions[1].changes[0].updatedProperties
      try expect(updated.contains("name"), "The history should name the changed property.")
    },
    StoreBehaviour("1H.4 persistent history: only what follows a token", requires: .history) {
      trial in
      let container = try trial.open { $0.historyTracking = true }
      let context = try trial.context()
      try context.make("Person", ["name": "Ada"])
      try context.save()
      let token = try required(try container.currentPersistentHistoryToken(), "The token")
      try context.make("Person", ["name": "Bob"])
      try context.save()
      let history = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: token))
      try expectEqual(history.transactions.count, 1, "The number of transactions")
    },
    StoreBehaviour("1H.4 persistent history: a refused save leaves no trace", requires: .history) {
      trial in
      try trial.open { $0.historyTracking = true }
      let context = try trial.context()
      try context.make("Person", ["name": "Ada", "email": "a"])
      try context.save()
      try context.make("Person", ["name": "Bob", "email": "a"])
      try expectError(.managedObjectConstraintMerge, "The save") { try context.save() }
      let reader = try trial.context()
      let history = try reader.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
      try expectEqual(history.transactions.count, 1, "The number of transactions")
    },
    StoreBehaviour("1H.4 persistent history: a deleted part is gone (134,301)", requires: .history)
    {
      trial in
      let container = try trial.open { $0.historyTracking = true }
      let context = try trial.context()
      try context.make("Person", ["name": "Ada"])
      try context.save()
      let old = try required(try container.currentPersistentHistoryToken(), "The token")
      for name in ["Bob", "Cy"] {
        try context.make("Person", ["name": name])
        try context.save()
      }
      let token = try required(try container.currentPersistentHistoryToken(), "The token")
      try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: token))
      try expectError(.persistentHistoryTokenExpired, "Fetching from an old token") {
        try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: old))
      }
    },
    StoreBehaviour(
      "1H.4 persistent history: it outlives the process",
      requires: [.history, .durable]
    ) { trial in
      try trial.open { $0.historyTracking = true }
      try saveOne(trial)
      try trial.reopen { $0.historyTracking = true }
      let context = try trial.context()
      let history = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
      try expectEqual(history.transactions.count, 1, "The number of transactions")
    },
  ]

  private static func saveOne(_ trial: Trial) throws {
    let context = try trial.context()
    try context.make("Person", ["name": "Ada"])
    try context.save()
  }
}
