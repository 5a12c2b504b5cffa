// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension PredicateTable {
  static func addCompounds(to table: inout PredicateTable) {
    table.add("age == 36 AND isActive == YES") { $0.age == 36 && $0.isActive }
    table.add("age == 36 OR isActive == YES") { $0.age == 36 || $0.isActive }
    table.add("NOT (age == 36 OR isActive == YES)") { !($0.age == 36 || $0.isActive) }
    table.add("age == 20 OR age == 36 AND isActive == YES") {
      $0.age == 20 || $0.age == 36 && $0.isActive
    }
    table.add("NOT age == 36 AND isActive == YES") { $0.age != 36 && $0.isActive }
    table.add("TRUEPREDICATE") { _ in true }
    table.add("FALSEPREDICATE") { _ in false }
    table.add("name != nil && (age < 0 || score > 4)") { ($0.age ?? 0) < 0 || ($0.score ?? 0) > 4 }
  }

  static func addPaths(to table: inout PredicateTable) {
    table.add("team.name == 'Red'") { $0.team == "Red" }
    table.add("team.name != 'Red'") { $0.team != "Red" }
    table.add("team == nil") { $0.team == nil }
    table.add("team != nil") { $0.team != nil }
    table.add("boss.team.name == 'Red'") { boss($0)?.team == "Red" }
    table.add("boss.boss == nil") { boss($0)?.boss == nil }
    table.add("boss.age > 30") { (boss($0)?.age ?? 0) > 30 }
    table.add("boss.name == name") { $0.boss == $0.name }
    table.add("address.city == 'Rome'") { $0.city == "Rome" }
    table.add("address.city ==[c] 'ROME'") { $0.city?.lowercased() == "rome" }
    table.add("address.city == nil") { $0.city == nil }
    table.add("team.budget > 50") { $0.team == "Red" || $0.team == "Blue" }
    table.add("name.length == 3") { $0.name.utf16.count == 3 }
  }
}
