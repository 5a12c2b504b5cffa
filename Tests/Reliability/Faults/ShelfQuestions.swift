// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

/// What is asked of a store that holds `Contents.start`, and the answers that must come.
enum ShelfQuestions {
  /// Asks, in as many ways as there are.
  ///
  /// - Parameter context: A context that knows nothing yet.
  /// - Throws: The store's error, or a wrong answer.
  static func ask(_ context: ManagedObjectContext) throws {
    let items = FetchRequest<ManagedObject>(entityName: "Item")
    let byLabel = items.sorted(by: FetchSort("label", comparison: .localized))
    func labels(_ request: FetchRequest<ManagedObject>) throws -> [String] {
      try context.fetch(request).map { try $0.text("label") }
    }
    try expect(["a1", "a2", "b1", "b2", "c1"], labels(byLabel))
    try expect(["b1", "c1"], labels(byLabel.filter(format: "count IN %@", [3, 5])))
    try expect(["a1", "a2"], labels(byLabel.filter(format: "label CONTAINS[cd] 'A'")))
    try expect(["b1", "b2"], labels(byLabel.filter(format: "box.name == 'b'")))
    try expect(["a1", "b1"], labels(byLabel.filter(format: "ANY tags.word == 'red'")))
    try expect(["a1"], labels(byLabel.filter(format: "label MATCHES 'a1+'")))
    try expect(2, context.count(for: items.filter(format: "count > 3")))
    var values = byLabel
    values.propertiesToFetch = ["label", "count"]
    try expect(
      [1, 2, 3, 4, 5],
      context.fetchDictionaries(values).map { $0["count"].flatMap { $0 as? Int64 } ?? -1 }
    )
    var batches = byLabel
    batches.fetchBatchSize = 2
    try expect(["a1", "a2", "b1", "b2", "c1"], labels(batches))
    let boxes = FetchRequest<ManagedObject>(entityName: "Box").prefetching("items")
    let counts = try context.fetch(boxes.sorted(by: FetchSort("name"))).map {
      try $0.objects(forKey: "items").count
    }
    try expect([2, 2, 1], counts)
    if let error = context.lastFaultError { throw error }
  }

  private static func expect<Value: Equatable>(_ expected: Value, _ value: Value) throws {
    if value != expected { throw WrongAnswer("\(value) was answered, not \(expected)") }
  }
}
