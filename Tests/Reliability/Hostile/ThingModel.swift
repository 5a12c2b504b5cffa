// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// A small store that is asked what predicates in text ask.
enum ThingModel {
  static func model() throws(PerennialError) -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Thing",
        properties: [
          .attribute("a", .int64, optional: true), .attribute("b", .double, optional: true),
          .attribute("c", .string, optional: true), .attribute("d", .bool, optional: true),
          .attribute("e", .date, optional: true), .attribute("f", .decimal, optional: true),
          .attribute("g", .uuid, optional: true), .attribute("h", .binaryData, optional: true),
          .toOne("one", "Thing", inverse: "many"), .toMany("many", "Thing", inverse: "one"),
        ]
      )
    )
  }

  /// A store in memory with a few objects.
  static func open() throws(PerennialError) -> PersistentContainer {
    let container = try PersistentContainer(
      name: "Things",
      model: model(),
      store: .sqliteInMemory
    )
    let context = container.newBackgroundContext()
    var former: ManagedObject?
    for number in 0..<6 {
      let thing = try context.insert(entityNamed: "Thing")
      guard number != 3 else { continue }
      try thing.setValue(number * number - 5, forKey: "a")
      try thing.setValue(Double(number) / 3, forKey: "b")
      try thing.setValue(["", "x", "Élan", "a%b_c", "", "'; --"][number], forKey: "c")
      try thing.setValue(number % 2 == 0, forKey: "d")
      try thing.setValue(Date(timeIntervalSinceReferenceDate: Double(number)), forKey: "e")
      try thing.setValue(Decimal(number) / 8, forKey: "f")
      try thing.setValue(UUID(), forKey: "g")
      try thing.setValue(Data([UInt8(number)]), forKey: "h")
      try thing.setObject(former, forKey: "one")
      former = thing
    }
    try context.save()
    return container
  }

  /// The same as a value that predicates can be evaluated with in memory.
  static let objects: [(any Sendable)?] = [
    nil, ["a": 1],
    [
      "a": -5, "b": 0.5, "c": "Élan", "d": true, "e": Date(timeIntervalSinceReferenceDate: 0),
      "one": ["a": 2, "c": "x"] as [String: any Sendable],
      "many": [["a": 1], ["a": 2]] as [[String: Int]],
    ] as [String: any Sendable],
  ]

  /// Predicates that fit the model, to be damaged.
  static let formats = [
    "a > 3 AND b <= 0.5 OR NOT c == 'x'", "c BEGINSWITH[cd] 'é' AND c ENDSWITH 'n'",
    "c LIKE[c] '*a?b*' OR c MATCHES '(a|b)+[^x]*'", "c CONTAINS[n] '%' AND d == TRUE",
    "a BETWEEN {1, 10} AND b IN {0.5, 1, 2}", "e < CAST('2030-01-01', 'NSDate') OR e == nil",
    "ANY many.a > 1 AND ALL many.c != nil AND NONE many.many.a == 4", "many.@count > 1 + a % 3",
    "SUBQUERY(many, $m, $m.a > 1 AND $m.one.c == 'x').@count == 2", "one.one.one.a == SELF.a",
    "many.@sum.a + many.@avg.b > many.@max.a - many.@min.a", "f * 2 - 1 / 3 >= -f ** 2",
    "(a & 1) == 1 AND (a | 2) != (a << 1) AND ~a < 0", "TERNARY(d, a, b) > 1", "SELF IN %@",
    "lowercase(c) == 'x' OR uppercase(c) != c", "abs(a) > floor(b) + ceiling(f)", "g != nil",
    "c == %@ AND a == %@", "%K == %@", "c.length > 2", "h == nil OR h != %@", "a.b.c == 1",
    "FUNCTION(a, 'add:to:', b) > 1", "a == 9223372036854775807 + 1", "b == 1e308 * 10",
    "many[FIRST].a == 1 OR many[SIZE] > 2", "now() > e", "one IN many", "c IN 'text'",
    "a / 0 == 1 OR a % 0 == 1", "-a == -9223372036854775808", "a << 64 == 0 OR a >> -1 == 0",
  ]
}
