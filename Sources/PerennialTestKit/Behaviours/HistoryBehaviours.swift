// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// What the history of a store tells of past saves: every store has one, if it is wanted.
  static let historyBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1H.4 persistent history: one transaction for each save") {
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
    StoreBehaviour("1H.4 persistent history: only what follows a token") {
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
    StoreBehaviour("1H.4 persistent history: a refused save leaves no trace") {
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
    StoreBehaviour("1H.4 persistent history: a deleted part is gone (134301)") {
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
      try trial.saveAda()
      try trial.reopen { $0.historyTracking = true }
      let context = try trial.context()
      let history = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
      try expectEqual(history.transactions.count, 1, "The number of transactions")
    },
    StoreBehaviour(
      "1H.4 persistent history: it goes on when nobody asks for it",
      requires: [.history, .durable]
    ) { trial in
      try trial.open { $0.historyTracking = true }
      try trial.saveAda()
      try trial.reopen()
      try trial.saveAda()
      let context = try trial.context()
      let history = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
      try expectEqual(history.transactions.count, 2, "The number of transactions")
    },
    StoreBehaviour(
      "1H.4 persistent history: an old token leads to all that follows, or has expired",
      requires: .durable
    ) { trial in
      let token: PersistentHistoryToken
      do {
        let container = try trial.open { $0.historyTracking = true }
        try trial.saveAda()
        token = try required(try container.currentPersistentHistoryToken(), "The token")
      }
      try trial.reopen { $0.historyTracking = true }
      for _ in 0..<3 { try trial.saveAda() }
      let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
      do {
        let history = try trial.context().execute(request)
        try expectEqual(history.transactions.count, 3, "The number of transactions")
      } catch let error as PerennialError {
        try expectEqual(error.code, .persistentHistoryTokenExpired, "The error")
      }
    },
    StoreBehaviour("1H.4 persistent history: a transaction is undone by `revert`") { trial in
      try trial.open { $0.historyKeepsOldValues = true }
      let context = try trial.context()
      let person = try context.make("Person", ["name": "Ada"])
      let (red, blue) = (
        try context.make("Tag", ["name": "red"]), try context.make("Tag", ["name": "blue"])
      )
      try person.add(red, to: "tags")
      for name in ["a", "b", "c"] {
        try person.add(try context.make("Task", ["name": name]), to: "tasks")
      }
      try context.save()
      try person.objects(forKey: "tags").remove(red)
      try person.add(blue, to: "tags")
      let tasks = try person.objects(forKey: "tasks")
      let first = try required(Array(tasks).first, "The first task")
      tasks.remove(first)
      tasks.insert(first)
      try person.setValue("Eve", forKey: "name")
      try context.save()
      let request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
      let history = try context.execute(request).transactions
      try expectEqual(history.count, 2, "The number of transactions")
      try context.revert(history[1])
      try context.save()
      let found = try trial.context().named("Ada")
      try expectEqual(try found.names("tags"), ["red"], "The tags")
      try expectEqual(try found.names("tasks"), ["a", "b", "c"], "The tasks")
    },
  ]
}
