// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

extension StoreBehaviour {
  /// Several readers and writers at once.
  static let concurrencyBehaviours: [StoreBehaviour] = [
    StoreBehaviour("1D.1 concurrency: writers at once lose nothing") { trial in
      let container = try trial.container
      _ = try await atOnce(4) { writer in try write(10, by: writer, in: container) }
      let names = try trial.context().all("Task").names
      let expected = (0..<4).flatMap { writer in (0..<10).map { "\(writer)-\($0)" } }
      try expectEqual(names.sorted(), expected.sorted(), "The tasks")
    },
    StoreBehaviour("1D.1 concurrency: readers see whole saves only") { trial in
      let container = try trial.container
      _ = try await atOnce(3) { number in
        number == 0 ? try writePairs(20, in: container) : try countPairs(20, in: container)
      }
      try expectEqual(try trial.context().count("Task"), 40, "The number of tasks")
    },
    StoreBehaviour("1D.1 concurrency: of two that raise a counter, one is refused or both count") {
      trial in
      let context = try trial.context()
      try context.make("Person", ["name": "counter", "age": 0])
      try context.save()
      let container = try trial.container
      let saved = try await atOnce(4) { _ in try raise(10, in: container) }
      let counter = try trial.context().named("counter")
      try expectEqual(try counter.integer("age"), saved.reduce(0, +), "The counter")
    },
    StoreBehaviour("1D.1 concurrency: a unique value is inserted by one of many") { trial in
      let container = try trial.container
      let saved = try await atOnce(4) { _ in try insertUnique(in: container) }
      try expectEqual(saved.reduce(0, +), 1, "The number of saves that succeeded")
      try expectEqual(try trial.context().count("Person"), 1, "The number of objects")
    },
  ]

  /// What a closure gives that runs several times at once.
  private static func atOnce(
    _ count: Int,
    _ body: @escaping @Sendable (Int) throws -> Int
  ) async throws -> [Int] {
    let tasks = (0..<count).map { number in Task.detached { try body(number) } }
    var results: [Int] = []
    for task in tasks { results.append(try await task.value) }
    return results
  }

  private static func writePairs(_ count: Int, in container: PersistentContainer) throws -> Int {
    for number in 0..<count {
      let context = container.newBackgroundContext(isolation: nil)
      for half in ["a", "b"] { try context.make("Task", ["name": "\(number)\(half)"]) }
      try context.save()
    }
    return count
  }

  private static func countPairs(_ count: Int, in container: PersistentContainer) throws -> Int {
    for _ in 0..<count {
      let found = try container.newBackgroundContext(isolation: nil).count("Task")
      try expect(found.isMultiple(of: 2), "A reader should see whole saves.")
    }
    return count
  }

  private static func write(
    _ count: Int,
    by writer: Int,
    in container: PersistentContainer
  ) throws -> Int {
    let context = container.newBackgroundContext(isolation: nil)
    for number in 0..<count {
      try context.make("Task", ["name": "\(writer)-\(number)"])
      try context.save()
    }
    return count
  }

  /// - Returns: How often it was raised.
  private static func raise(_ count: Int, in container: PersistentContainer) throws -> Int {
    var saved = 0
    for _ in 0..<count where try raise(in: container) { saved += 1 }
    return saved
  }

  /// - Returns: Whether it was raised.
  private static func raise(in container: PersistentContainer) throws -> Bool {
    let context = container.newBackgroundContext(isolation: nil)
    let counter = try context.named("counter")
    let value = try required(try counter.integer("age"), "The value")
    try counter.setValue(value + 1, forKey: "age")
    do {
      try context.save()
      return true
    } catch PerennialError.conflict {
      return false
    }
  }

  /// - Returns: How many objects were saved.
  private static func insertUnique(in container: PersistentContainer) throws -> Int {
    let context = container.newBackgroundContext(isolation: nil)
    try context.make("Person", ["email": "a"])
    do {
      try context.save()
      return 1
    } catch PerennialError.conflict {
      return 0
    }
  }
}
