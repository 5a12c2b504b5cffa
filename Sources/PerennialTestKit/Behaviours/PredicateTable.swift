// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Conditions, and what each of them should select of the crowd, said in plain Swift.
struct PredicateTable {
  struct Row: Sendable {
    let format: String
    let arguments: [(any Sendable)?]
    let note: String?
    let isSelected: @Sendable (Crowd.Member) -> Bool
  }

  private(set) var rows: [Row] = []

  static let all: [Row] = {
    var table = PredicateTable()
    addEquality(to: &table)
    addOrder(to: &table)
    addRanges(to: &table)
    addLists(to: &table)
    addParts(to: &table)
    addBeginnings(to: &table)
    addEnds(to: &table)
    addPatterns(to: &table)
    addExpressions(to: &table)
    addCompounds(to: &table)
    addPaths(to: &table)
    addCollections(to: &table)
    addArithmetic(to: &table)
    addFunctions(to: &table)
    return table.rows
  }()

  mutating func add(
    _ format: String,
    _ arguments: [(any Sendable)?] = [],
    note: String? = nil,
    _ isSelected: @escaping @Sendable (Crowd.Member) -> Bool
  ) {
    rows.append(Row(format: format, arguments: arguments, note: note, isSelected: isSelected))
  }

  // MARK: Words for the conditions

  /// Whether two texts have the same bytes.
  static func bytes(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

  /// Whether a text has another one in it, byte by byte.
  static func part(_ text: String?, _ part: String) -> Bool {
    guard let text else { return false }
    let (whole, wanted) = (Array(text.utf8), Array(part.utf8))
    guard whole.count >= wanted.count else { return false }
    return (0...whole.count - wanted.count).contains {
      whole[$0..<$0 + wanted.count].elementsEqual(wanted)
    }
  }

  static func boss(_ member: Crowd.Member) -> Crowd.Member? { member.boss.flatMap(Crowd.member) }

  static func average(_ numbers: [Int]) -> Double? {
    numbers.isEmpty ? nil : Double(numbers.reduce(0, +)) / Double(numbers.count)
  }
}

extension StoreBehaviour {
  /// Every operator selects just the rows that it should.
  static let predicateBehaviours: [StoreBehaviour] = PredicateTable.all.map { row in
    let note = row.note.map { " (\($0))" } ?? ""
    return StoreBehaviour("1G.2 predicates: \(row.format)\(note)") { trial in
      try Crowd.save(in: trial.context())
      let expected = Crowd.members.filter(row.isSelected).map(\.name).sorted(by: precedes)
      let context = try trial.context()
      let found = try context.people(row.format, row.arguments).names
      try expect(
        found.elementsEqual(expected) { $0.utf8.elementsEqual($1.utf8) },
        "The condition should select \(expected), but selects \(found)."
      )
      var request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = try FetchPredicate(parsing: row.format, arguments: row.arguments)
      try expectEqual(try context.count(for: request), expected.count, "The count")
    }
  }

  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
