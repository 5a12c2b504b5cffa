// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension StoreBehaviour {
  /// Values that are computed of many rows.
  static let aggregateBehaviours: [StoreBehaviour] =
    wholes.map { whole in
      StoreBehaviour("1G.10 expressions: \(whole.format) of everybody") { trial in
        try Crowd.save(in: trial.context())
        let request = FetchRequest<ManagedObject>(entityName: "Person")
          .fetching(.expression(try ExpressionDescription("value", parsing: whole.format)))
        let found = try trial.context().fetchDictionaries(request)
        try expectEqual(found.count, 1, "The number of results")
        let value = number(found[0]["value"])
        try expectEqual(value, whole.expected, "The value")
      }
    } + groups

  private struct Whole: Sendable {
    let format: String
    let expected: Double?
  }

  private static var scores: [Double] { Crowd.members.compactMap(\.score) }

  private static let wholes: [Whole] = [
    Whole(format: "count:(SELF)", expected: Double(Crowd.members.count)),
    Whole(format: "count:(age)", expected: Double(Crowd.members.compactMap(\.age).count)),
    Whole(format: "min:(age)", expected: Crowd.members.compactMap(\.age).min().map { Double($0) }),
    Whole(format: "min:(score)", expected: scores.min()),
    Whole(format: "max:(score)", expected: scores.max()),
    Whole(format: "sum:(score)", expected: scores.reduce(0, +)),
    Whole(format: "average:(score)", expected: scores.reduce(0, +) / Double(scores.count)),
  ]

  private static func number(_ value: (any Sendable)?) -> Double? {
    switch value {
    case let value as Int64: Double(value)
    case let value as Double: value
    case let value as Decimal: NSDecimalNumber(decimal: value).doubleValue
    default: nil
    }
  }

  private static func byTeam() throws -> FetchRequest<ManagedObject> {
    var request = FetchRequest<ManagedObject>(entityName: "Person")
      .fetching(
        "team.name",
        .expression(try ExpressionDescription("total", parsing: "count:(SELF)"))
      )
      .grouped(by: "team.name")
    request.sortDescriptors = [FetchSort("team.name")]
    return request
  }

  private static let groups: [StoreBehaviour] = [
    StoreBehaviour("1G.8 groups: one result for each value, the absent one first") { trial in
      try Crowd.save(in: trial.context())
      let found = try trial.context().fetchDictionaries(byTeam())
      let names = found.map { $0["team.name"] as? String }
      try expectEqual(names, [nil, "Blue", "Green", "Red"], "The groups")
      try expectEqual(found.map { number($0["total"]) }, [2, 2, 1, 3], "The totals")
    },
    StoreBehaviour("1G.8 groups: a condition on groups") { trial in
      try Crowd.save(in: trial.context())
      let request = try byTeam().having(FetchPredicate(format: "count:(SELF) > 1"))
      let found = try trial.context().fetchDictionaries(request)
      let names = found.map { $0["team.name"] as? String }
      try expectEqual(names, [nil, "Blue", "Red"], "The groups")
    },
    StoreBehaviour("1G.8 groups: a condition on rows comes before") { trial in
      try Crowd.save(in: trial.context())
      let found = try trial.context().fetchDictionaries(byTeam().filter("age >= 20"))
      let names = found.map { $0["team.name"] as? String }
      try expectEqual(names, [nil, "Green", "Red"], "The groups")
      try expectEqual(found.map { number($0["total"]) }, [1, 1, 3], "The totals")
    },
    StoreBehaviour("1G.7 distinct results: equal ones come once") { trial in
      try Crowd.save(in: trial.context())
      var request = FetchRequest<ManagedObject>(entityName: "Person")
        .fetching("isActive").distinct()
      request.sortDescriptors = [FetchSort("isActive")]
      let found = try trial.context().fetchDictionaries(request)
      try expectEqual(found.map { $0["isActive"] as? Bool }, [false, true], "The values")
    },
    StoreBehaviour("1G.7 distinct results: a limit counts results") { trial in
      try Crowd.save(in: trial.context())
      var request = FetchRequest<ManagedObject>(entityName: "Person")
        .fetching("team.name").distinct()
      request.sortDescriptors = [FetchSort("team.name")]
      (request.fetchLimit, request.fetchOffset) = (2, 1)
      let found = try trial.context().fetchDictionaries(request)
      try expectEqual(found.map { $0["team.name"] as? String }, ["Blue", "Green"], "The values")
    },
    StoreBehaviour("1G.10 expressions: a value of each row") { trial in
      try Crowd.save(in: trial.context())
      var request = FetchRequest<ManagedObject>(entityName: "Person").filter("age == 36")
        .fetching("name", .expression(try ExpressionDescription("next", parsing: "age + 1")))
      request.sortDescriptors = [FetchSort("name")]
      let found = try trial.context().fetchDictionaries(request)
      try expectEqual(found.map { number($0["next"]) }, [37, 37], "The values")
    },
    StoreBehaviour("1G.10 expressions: nothing to compute of gives nothing") { trial in
      let request = FetchRequest<ManagedObject>(entityName: "Person")
        .fetching(
          .expression(try ExpressionDescription("total", parsing: "sum:(age)")),
          .expression(try ExpressionDescription("least", parsing: "min:(age)"))
        )
      let found = try trial.context().fetchDictionaries(request)
      try expectEqual(found.count, 1, "The number of results")
      try expectEqual(number(found[0]["total"]), 0, "The sum of nothing")
      try expectEqual(number(found[0]["least"]), nil, "The least of nothing")
    },
  ]
}
