// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension PredicateTable {
  static func addEquality(to table: inout PredicateTable) {
    table.add("age == 36") { $0.age == 36 }
    table.add("age == %@", [20]) { $0.age == 20 }
    table.add("age = 36.0") { $0.age == 36 }
    table.add("age != 36") { $0.age != 36 }
    table.add("age <> 36") { $0.age != 36 }
    table.add("age == nil") { $0.age == nil }
    table.add("age != nil") { $0.age != nil }
    table.add("note == nil") { $0.note == nil }
    table.add("note == ''") { $0.note == "" }
    table.add("note != ''") { $0.note != "" }
    table.add("note == %@", [nil]) { $0.note == nil }
    table.add("name == ''") { $0.name == "" }
    table.add("name == 'Ada'") { $0.name == "Ada" }
    table.add("name ==[c] 'ADA'") { $0.name.lowercased() == "ada" }
    table.add("name == %@", ["D\u{E9}e"]) { bytes($0.name, "D\u{E9}e") }
    table.add("name == %@", ["De\u{301}e"], note: "decomposed") { bytes($0.name, "De\u{301}e") }
    table.add("name ==[d] %@", ["Dee"]) { bytes($0.name, "D\u{E9}e") }
    table.add("name ==[cd] %@", ["DEE"]) {
      bytes($0.name, "D\u{E9}e") || bytes($0.name, "de\u{301}e")
    }
    table.add("isActive == YES") { $0.isActive }
    table.add("isActive == NO") { !$0.isActive }
    table.add("isActive == 1") { $0.isActive }
    table.add("isActive != true") { !$0.isActive }
    table.add("score == 4.5") { $0.score == 4.5 }
    table.add("score == 2") { $0.score == 2 }
    table.add("score == -0.0") { $0.score == 0 }
    table.add("age == %@", [9_007_199_254_740_992.0], note: "no double has it") { _ in false }
    table.add("age == %@", [9_007_199_254_740_993], note: "exactly") {
      $0.age == 9_007_199_254_740_993
    }
    table.add("born == %@", [Crowd.day(1)]) { $0.born == Crowd.day(1) }
    table.add("age == score") { $0.age.map(Double.init) == $0.score }
    table.add("nil == nil") { _ in true }
  }
}
