// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// On which lines the things of a model are described.
struct ModelPlaces {
  /// By `Commit`, `Commit.sha`, and `$recent` for a fetch request.
  private(set) var lines: [String: Int] = [:]

  /// Collects the lines; of two things of one name that of the last.
  init(of root: XMLElement) {
    for request in root.children(named: "fetchRequest") {
      lines["$" + (request.attributes["name"] ?? "")] = request.line
    }
    for entity in root.children(named: "entity") {
      guard let name = entity.attributes["name"] else { continue }
      lines[name] = entity.line
      // An index may have the name of a property.
      for property in entity.children
      where ["attribute", "relationship", "fetchedProperty"].contains(property.name) {
        if let own = property.attributes["name"] { lines["\(name).\(own)"] = property.line }
      }
    }
  }

  /// An error that names the line of its entity or property, and so do those in it.
  func locating(_ error: PerennialError) -> PerennialError {
    let entity = error.entity ?? ""
    let line = error.property.flatMap { lines["\(entity).\($0)"] } ?? lines[entity]
    var message = error.message
    if let line, error.problems.isEmpty, !message.hasPrefix("Line ") {
      message = "Line \(line): \(message)"
    }
    var located = PerennialError(
      error.code,
      message,
      recovery: error.recovery,
      entity: error.entity,
      property: error.property,
      problems: error.problems.map(locating)
    )
    located.underlying = error.underlying
    return located
  }
}
