// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension PredicateTable {
  static func addParts(to table: inout PredicateTable) {
    table.add("note CONTAINS 'ix'") { part($0.note, "ix") }
    table.add("note CONTAINS 'fix'") { part($0.note, "fix") }
    table.add("note CONTAINS[c] 'fix'") { part($0.note?.lowercased(), "fix") }
    table.add("note CONTAINS ''") { _ in false }
    table.add("note CONTAINS '%'") { part($0.note, "%") }
    table.add("note CONTAINS '_'") { part($0.note, "_") }
    table.add("note CONTAINS %@", ["\u{0}b"], note: "NUL") { part($0.note, "\u{0}b") }
    table.add("NOT note CONTAINS 'ix'") { !part($0.note, "ix") }
    table.add("name CONTAINS[cd] 'E'") {
      ["Eve"].contains($0.name) || $0.age == 0 || $0.score == -1
    }
    table.add("note CONTAINS[n] 'Fix'") { part($0.note, "Fix") }
  }

  static func addBeginnings(to table: inout PredicateTable) {
    table.add("name BEGINSWITH 'A'") { $0.name == "Ada" }
    table.add("name BEGINSWITH[c] 'A'") { $0.name == "Ada" || $0.name == "ada" }
    table.add("name BEGINSWITH 'd'") { bytes($0.name, "de\u{301}e") }
    table.add("name BEGINSWITH ''") { _ in false }
    table.add("note BEGINSWITH '50%'") { $0.age == 0 }
  }

  static func addEnds(to table: inout PredicateTable) {
    table.add("name ENDSWITH 'a'") { $0.name == "Ada" || $0.name == "ada" }
    table.add("note ENDSWITH[c] 'IT'") { $0.note == "fix it" }
    table.add("note ENDSWITH ''") { _ in false }
    table.add("note ENDSWITH %@", ["_\\"]) { $0.age == 0 }
  }

  static func addPatterns(to table: inout PredicateTable) {
    table.add("name LIKE '*'") { _ in true }
    table.add("note LIKE '*'") { $0.note != nil }
    table.add("name LIKE '?da'") { $0.name == "Ada" || $0.name == "ada" }
    table.add("name LIKE 'A*'") { $0.name == "Ada" }
    table.add("name LIKE[c] 'a?a'") { $0.name == "Ada" || $0.name == "ada" }
    table.add("name LIKE ''") { $0.name == "" }
    table.add("note LIKE '*%*'") { part($0.note, "%") }
    table.add("note LIKE '*FIX*'") { part($0.note, "FIX") }
    table.add("note LIKE %@", ["a\\*b\\?c"]) { $0.note == "a*b?c" }
  }

  static func addExpressions(to table: inout PredicateTable) {
    table.add("name MATCHES '[A-C].*'") { ["Ada", "Bob", "Cy"].contains($0.name) }
    table.add("name MATCHES 'd'") { _ in false }
    table.add("name MATCHES[c] 'ADA'") { $0.name == "Ada" || $0.name == "ada" }
  }
}
