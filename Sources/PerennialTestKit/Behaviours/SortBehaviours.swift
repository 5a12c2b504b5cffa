// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// What a sort looks at, in plain Swift.
enum SortValue: Sendable {
  case nothing
  case number(Double)
  case text(String)

  init(_ number: Double?) { self = number.map { .number($0) } ?? .nothing }
  init(_ number: Int?) { self.init(number.map { Double($0) }) }
  init(_ text: String?) { self = text.map { .text($0) } ?? .nothing }

  /// Negative, 0 or positive; absent values come first.
  func order(_ other: SortValue) -> Int {
    switch (self, other) {
    case (.nothing, .nothing): 0
    case (.nothing, _): -1
    case (_, .nothing): 1
    case (.number(let a), .number(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.text(let a), .text(let b)):
      StoreBehaviour.precedes(a, b) ? -1 : StoreBehaviour.precedes(b, a) ? 1 : 0
    default: 0
    }
  }
}

extension StoreBehaviour {
  private typealias Key = (FetchSort, @Sendable (Crowd.Member) -> SortValue)

  private static let sortKeys: [Key] = [
    (FetchSort("age"), { SortValue($0.age) }),
    (FetchSort("score"), { SortValue($0.score) }),
    (FetchSort("isActive"), { SortValue($0.isActive ? 1 : 0) }),
    (FetchSort("born"), { SortValue($0.born?.timeIntervalSinceReferenceDate) }),
    (FetchSort("note"), { SortValue($0.note) }),
    (FetchSort("name"), { SortValue($0.name) }),
    (FetchSort("name", comparison: .caseInsensitive), { SortValue($0.name.lowercased()) }),
    (FetchSort("address.city"), { SortValue($0.city) }),
    (FetchSort("team.name"), { SortValue($0.team) }),
    (FetchSort("boss.name"), { SortValue($0.boss) }),
    (FetchSort("boss.age"), { SortValue($0.boss.flatMap(Crowd.member)?.age) }),
  ]

  /// Sorts by every kind of value, both ways, alone and before another one.
  static let sortBehaviours: [StoreBehaviour] =
    sortKeys.flatMap { key in
      [key, (key.0.reversed, key.1)].map { key in sorting([key, byName]) }
    }
    + [
      sorting([sortKeys[2], sortKeys[0], byName]),
      sorting([sortKeys[8], (sortKeys[0].0.reversed, sortKeys[0].1), byName]),
      StoreBehaviour("1G.2 sorts: equal rows keep the order of their insertion") { trial in
        let context = try trial.context()
        for name in ["b", "a", "c"] {
          try context.make("Task", ["name": name])
          try context.save()
        }
        var request = FetchRequest<ManagedObject>(entityName: "Person")
        request = FetchRequest(entityName: "Task")
        request.sortDescriptors = [FetchSort("assignee.name")]
        let other = try trial.context()
        try expectEqual(try other.fetch(request).names, ["b", "a", "c"], "The order")
        request.sortDescriptors = [FetchSort("assignee.name", ascending: false)]
        try expectEqual(try other.fetch(request).names, ["c", "a", "b"], "The order, falling")
      },
    ]

  private static let byName: Key = (FetchSort("name"), { SortValue($0.name) })

  private static func sorting(_ keys: [Key]) -> StoreBehaviour {
    let words = keys.map { key in
      let way = key.0.ascending ? "" : " falling"
      return key.0.key + (key.0.comparison == .binary ? "" : " \(key.0.comparison)") + way
    }
    return StoreBehaviour("1G.2 sorts: by \(words.joined(separator: ", then "))") { trial in
      try Crowd.save(in: trial.context())
      let expected = Crowd.members.sorted { left, right in
        for (sort, value) in keys {
          let order = value(left).order(value(right))
          if order != 0 { return sort.ascending ? order < 0 : order > 0 }
        }
        return false
      }
      var request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = keys.map(\.0)
      let found = try trial.context().fetch(request).names
      try expectEqual(found, expected.map(\.name), "The order")
    }
  }
}
