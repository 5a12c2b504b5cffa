// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension PredicateTable {
  static func addOrder(to table: inout PredicateTable) {
    table.add("age < 20") { $0.age.map { $0 < 20 } ?? false }
    table.add("age <= 20") { $0.age.map { $0 <= 20 } ?? false }
    table.add("age > 20") { $0.age.map { $0 > 20 } ?? false }
    table.add("age >= 20") { $0.age.map { $0 >= 20 } ?? false }
    table.add("20 < age") { $0.age.map { $0 > 20 } ?? false }
    table.add("age < 20.5") { $0.age.map { Double($0) < 20.5 } ?? false }
    table.add("score > 1") { $0.score.map { $0 > 1 } ?? false }
    table.add("score < 0") { $0.score.map { $0 < 0 } ?? false }
    table.add("name < 'a'") { $0.name.utf8.lexicographicallyPrecedes("a".utf8) }
    table.add("name >= 'Bob'") { !$0.name.utf8.lexicographicallyPrecedes("Bob".utf8) }
    table.add("born < %@", [Crowd.day(1)]) { $0.born.map { $0 < Crowd.day(1) } ?? false }
    table.add("born >= %@", [Crowd.day(1)]) { $0.born.map { $0 >= Crowd.day(1) } ?? false }
    table.add("NOT age > 20") { !($0.age.map { $0 > 20 } ?? false) }
    table.add("age < nil") { _ in false }
    table.add("age <= nil") { $0.age == nil }
    table.add("age > score") { member in
      member.age.flatMap { age in member.score.map { Double(age) > $0 } } ?? false
    }
  }

  static func addRanges(to table: inout PredicateTable) {
    table.add("age BETWEEN {0, 36}") { $0.age.map { (0...36).contains($0) } ?? false }
    table.add("age BETWEEN %@", [[0, 20]]) { $0.age.map { (0...20).contains($0) } ?? false }
    table.add("age BETWEEN {36, 0}") { _ in false }
    table.add("NOT age BETWEEN {0, 36}") { !($0.age.map { (0...36).contains($0) } ?? false) }
    table.add("name BETWEEN {'A', 'C'}") { ["Ada", "Bob"].contains($0.name) }
  }

  static func addLists(to table: inout PredicateTable) {
    table.add("age IN {36, 70}") { $0.age == 36 || $0.age == 70 }
    table.add("age IN %@", [[0, 20]]) { $0.age == 0 || $0.age == 20 }
    table.add("age IN {}") { _ in false }
    table.add("age IN {nil, 36}") { $0.age == nil || $0.age == 36 }
    table.add("NOT age IN {36, 70}") { $0.age != 36 && $0.age != 70 }
    table.add("NOT age IN {nil, 36}") { $0.age != nil && $0.age != 36 }
    table.add("age NOT IN {36}") { $0.age != 36 }
    table.add("name IN {'Ada', 'ada'}") { $0.name == "Ada" || $0.name == "ada" }
    table.add("name IN[c] {'ADA'}") { $0.name.lowercased() == "ada" }
    table.add("team.name IN {'Red', 'Green'}") { $0.team == "Red" || $0.team == "Green" }
  }
}
