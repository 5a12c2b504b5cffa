// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialModel
import PerennialModelFiles

/// What is shown of a model.
struct ModelSummary {
  let loaded: LoadedModel
  let entities: [EntityDescription]

  init(_ loaded: LoadedModel) {
    self.loaded = loaded
    entities = loaded.model.entities
  }

  // MARK: For people

  func lines(_ style: Style) -> [String] {
    var title = "\(loaded.name): \(entities.count.counted("entity", "entities"))"
    let others = loaded.versionNames.filter { $0 != loaded.name }
    if !others.isEmpty { title += "; other versions: \(others.joined(separator: ", "))" }
    var lines = [style(title.escapedForTerminal, .title)]
    let identifiers = loaded.document.versionIdentifiers.filter { !$0.isEmpty }
    if !identifiers.isEmpty {
      lines.append("identifiers: \(identifiers.joined(separator: ", "))".escapedForTerminal)
    }
    for entity in entities { lines += [""] + self.lines(of: entity, style) }
    for name in loaded.model.configurations {
      let names = loaded.model.entities(forConfiguration: name)?.map(\.name) ?? []
      lines += ["", "configuration \(name): \(names.joined(separator: ", "))".escapedForTerminal]
    }
    for template in loaded.model.fetchRequestTemplates {
      let condition = template.predicate.map { " where \($0)" } ?? ""
      let line = "fetch request \(template.name): \(template.entityName)\(condition)"
      lines += ["", line.escapedForTerminal]
    }
    return lines
  }

  private func lines(of entity: EntityDescription, _ style: Style) -> [String] {
    var title = style(entity.name.escapedForTerminal, .identifier)
    if let parent = entity.parent { title += " : \(parent.escapedForTerminal)" }
    if entity.isAbstract { title += " (abstract)" }
    let rows = entity.properties.map { property -> [String] in
      switch property {
      case .attribute(let attribute):
        [attribute.name, attribute.typeText, attribute.notes.joined(separator: ", ")]
      case .relationship(let relationship):
        [relationship.name, relationship.typeText, relationship.notes.joined(separator: ", ")]
      }
    }.map { $0.map(\.escapedForTerminal) }
    var table = TextTable([.init(title: ""), .init(title: ""), .init(title: "")])
    for row in rows { table.fit(row) }
    var lines = [title] + rows.map { "  " + table.line($0) }
    for constraint in entity.uniquenessConstraints {
      lines.append("  unique: \(constraint.joined(separator: ", "))".escapedForTerminal)
    }
    for index in entity.indexes {
      lines.append("  index \(index.name): \(index.text)".escapedForTerminal)
    }
    for property in entity.fetchedProperties {
      let condition = property.fetchRequest.predicate.map { " where \($0)" } ?? ""
      let line = "  fetched \(property.name): \(property.fetchRequest.entityName)\(condition)"
      lines.append(line.escapedForTerminal)
    }
    return lines
  }
}

extension FetchIndexDescription {
  /// Its elements, with what is not usual about them.
  fileprivate var text: String {
    let parts = elements.map { element in
      let kind = element.type == .fullText ? " (full text)" : ""
      return element.property + (element.isAscending ? "" : " (descending)") + kind
    }
    let condition = partialIndexPredicate.map { " where \($0)" } ?? ""
    return parts.joined(separator: ", ") + condition
  }
}

extension Int {
  /// The number with a noun that has a plural of its own.
  func counted(_ noun: String, _ plural: String) -> String {
    self == 1 ? "1 \(noun)" : "\(grouped) \(plural)"
  }
}
