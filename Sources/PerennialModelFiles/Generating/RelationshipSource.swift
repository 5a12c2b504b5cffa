// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The variable of a relationship.
struct RelationshipSource {
  let relationship: RelationshipDescription
  /// The variable's name.
  let name: String
  /// The class of the objects that it leads to.
  let destination: String

  /// `author: Author?`, what follows `var`.
  var declaration: String {
    let type =
      if !relationship.isToMany {
        "\(destination)?"
      } else if relationship.isOrdered {
        "OrderedToMany<\(destination)>"
      } else {
        "ToMany<\(destination)>"
      }
    return "\(SwiftName.quoted(name)): \(type)"
  }

  /// `@Relationship(…)`, when there is something to say.
  var mark: String? {
    func text(_ label: String, _ value: String?) -> String? { value.map { "\(label): \($0)" } }
    func count(_ value: Int) -> String? {
      relationship.isToMany && value != 0 ? String(value) : nil
    }
    let rule = relationship.deleteRule
    let arguments = [
      text("name", name == relationship.name ? nil : SwiftLiteral.string(relationship.name)),
      text("inverse", relationship.inverse.map(SwiftLiteral.string)),
      text("deleteRule", rule == .nullify ? nil : ".\(rule)"),
      text("optional", relationship.isOptional ? nil : "false"),
      text("minimumCount", count(relationship.minimumCount)),
      text("maximumCount", count(relationship.maximumCount)),
      text("renamedFrom", relationship.renamingIdentifier.map(SwiftLiteral.string)),
    ].compactMap(\.self)
    return arguments.isEmpty ? nil : "@Relationship(\(arguments.joined(separator: ", ")))"
  }

  /// Assignments that give the description `$0` what marks cannot.
  var completion: [String] {
    var lines: [String] = []
    if relationship.inverse == nil { lines.append("$0.infersInverse = false") }
    if !relationship.isToMany {
      if relationship.minimumCount != 0 {
        lines.append("$0.minimumCount = \(relationship.minimumCount)")
      }
      if relationship.maximumCount != 1 {
        lines.append("$0.maximumCount = \(relationship.maximumCount)")
      }
    }
    if let modifier = relationship.versionHashModifier {
      lines.append("$0.versionHashModifier = \(SwiftLiteral.string(modifier))")
    }
    if !relationship.validation.isEmpty {
      lines.append("$0.validation = \(AttributeSource.list(relationship.validation))")
    }
    if !relationship.userInfo.isEmpty {
      lines.append("$0.userInfo = \(SwiftLiteral.dictionary(relationship.userInfo))")
    }
    return lines
  }
}
