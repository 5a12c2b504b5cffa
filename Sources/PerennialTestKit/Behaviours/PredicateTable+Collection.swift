// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension PredicateTable {
  static func addCollections(to table: inout PredicateTable) {
    table.add("ANY tags.name == 'old'") { $0.tags.contains("old") }
    table.add("SOME tags.name BEGINSWITH 't'") { $0.tags.contains("tall") }
    table.add("ALL tags.name == 'tall'") { $0.tags.allSatisfy { $0 == "tall" } }
    table.add("NONE tags.name == 'old'") { !$0.tags.contains("old") }
    table.add("NOT ANY tags.name == 'old'") { !$0.tags.contains("old") }
    table.add("tags.@count == 0") { $0.tags.isEmpty }
    table.add("tags.@count > 1") { $0.tags.count > 1 }
    table.add("tags.@count == 3") { $0.tags.count == 3 }
    table.add("ANY reports.age > 30") { Crowd.reports(of: $0).contains { ($0.age ?? 0) > 30 } }
    table.add("ALL reports.isActive == YES") { Crowd.reports(of: $0).allSatisfy(\.isActive) }
    table.add("reports.@count >= 1") { !Crowd.reports(of: $0).isEmpty }
    table.add("reports.@sum.age > 10") {
      Crowd.reports(of: $0).reduce(0) { $0 + ($1.age ?? 0) } > 10
    }
    table.add("reports.@max.age == 20") { Crowd.reports(of: $0).compactMap(\.age).max() == 20 }
    table.add("reports.@min.age == nil") { Crowd.reports(of: $0).compactMap(\.age).min() == nil }
    table.add("reports.@avg.age == 36") { average(Crowd.reports(of: $0).compactMap(\.age)) == 36 }
    table.add("SUBQUERY(tags, $t, $t.name == 'old' OR $t.name == 'new').@count == 2") {
      $0.tags.contains("old") && $0.tags.contains("new")
    }
    table.add("SUBQUERY(reports, $r, $r.age > 10 AND $r.isActive == NO).@count > 0") {
      Crowd.reports(of: $0).contains { ($0.age ?? 0) > 10 && !$0.isActive }
    }
    table.add("ANY boss.tags.name == 'tall'") { boss($0)?.tags.contains("tall") == true }
    table.add("ANY team.members.name == 'Bob'") { $0.team == "Red" }
    table.add("ANY tags.name == 'old' AND ANY tags.name == 'new'") {
      $0.tags.contains("old") && $0.tags.contains("new")
    }
  }

  static func addArithmetic(to table: inout PredicateTable) {
    table.add("age + 1 == 37") { $0.age == 36 }
    table.add("age * 2 > 100") { $0.age.map { $0 > 50 } ?? false }
    table.add("age / 7 == 5") { $0.age == 36 }
    table.add("age - score > 30") { member in
      member.age.flatMap { age in member.score.map { Double(age) - $0 > 30 } } ?? false
    }
    table.add("-age == 5") { $0.age == -5 }
    table.add("modulus:by:(age, 10) == 6") { $0.age == 36 }
  }

  static func addFunctions(to table: inout PredicateTable) {
    table.add("lowercase:(name) == 'ada'") { $0.name.lowercased() == "ada" }
    table.add("uppercase:(address.city) == 'ROME'") { $0.city?.uppercased() == "ROME" }
    table.add("abs:(age) == 5") { $0.age == -5 }
    table.add("length:(name) == 0") { $0.name.isEmpty }
    table.add("floor:(score) == 4") { $0.score == 4.5 }
    table.add("TERNARY(isActive == YES, age, 0) == 0") { !$0.isActive || $0.age == 0 }
  }
}
