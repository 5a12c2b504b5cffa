// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialModel
import PerennialStore

/// What is shown of a store: facts, then tables of them.
struct InspectionSheet {
  /// A fact: for people a title and a text, for programs a name and a value; either may be missing.
  struct Fact {
    var shown: (title: String, text: String)?
    var member: JSONValue.Member?
  }

  /// A table of facts of one kind.
  struct Section {
    let name: String
    let title: String
    var columns: [Column] = []
    var rows: [[JSONValue]] = []

    /// A column: its name in JSON, its title for people, nil when only programs read it.
    struct Column {
      let name: String
      let title: String?
      var isNumber = false
    }
  }

  var facts: [Fact] = []
  var sections: [Section] = []

  /// Adds a fact for people and programs.
  mutating func add(_ name: String, _ title: String, _ text: String, json: JSONValue? = nil) {
    facts.append(Fact(shown: (title, text), member: .init(name, json ?? .string(text))))
  }

  /// Adds a fact that only programs read.
  mutating func add(_ name: String, _ json: JSONValue) {
    facts.append(Fact(member: .init(name, json)))
  }

  /// Adds a line that only people read.
  mutating func show(_ title: String, _ text: String) {
    facts.append(Fact(shown: (title, text)))
  }

  var json: JSONValue {
    let tables = sections.map { section in
      JSONValue.Member(
        section.name,
        .array(
          section.rows.map { row in
            .object(zip(section.columns, row).map { JSONValue.Member($0.name, $1) })
          }
        )
      )
    }
    return .object(facts.compactMap(\.member) + tables)
  }

  func lines(_ style: Style) -> [String] {
    let shown = facts.compactMap(\.shown)
    let width = shown.map(\.title.displayWidth).max() ?? 0
    var lines = shown.map { title, text in
      style(title.padded(toWidth: width), .secondary) + "  " + text.escapedForTerminal
    }
    for section in sections where !section.rows.isEmpty {
      lines += ["", style(section.title, .title)]
      let columns = section.columns.enumerated().compactMap { place, column in
        column.title.map {
          (place, TextTable.Column(title: $0, alignment: column.isNumber ? .right : .left))
        }
      }
      let rows = section.rows.map { row in columns.map { place, _ in row[place].shown } }
      lines += TextTable.lines(columns.map(\.1), rows, style: style)
    }
    return lines
  }
}

extension JSONValue {
  /// The value in a table for people.
  fileprivate var shown: String {
    switch self {
    case .null: ""
    case .bool(let value): value ? "yes" : "no"
    case .integer(let value): value.grouped
    case .string(let value): value.escapedForTerminal
    case .array(let values): values.map(\.shown).joined(separator: ", ")
    case .number, .decimal, .object: text
    }
  }
}
