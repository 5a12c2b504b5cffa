// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The class of an entity, with `@Managed`.
struct ClassSource {
  let entity: EntityDescription
  /// The class's name.
  let name: String
  /// The superclass's name.
  let superclass: String
  /// Whether it has no subclasses.
  let isFinal: Bool
  /// The names of its variables.
  let variables: PropertyNames
  let classes: ClassNames
  let composites: [[AttributeDescription]: String]
  /// The functions of fetch requests and fetched properties.
  let functions: [String]
  /// `public `, with the space, or nothing.
  let access: String

  /// The class's text.
  var text: String {
    var lines = ["/// The entity '\(entity.name)'."]
    lines += markLines
    lines.append("\(access)nonisolated \(isFinal ? "final " : "")class \(name): \(superclass) {")
    for property in entity.properties { lines += declaration(of: property) }
    lines += functions.flatMap { ["", $0] }
    lines += completionLines
    return lines.joined(separator: "\n") + "\n}\n"
  }

  // MARK: @Managed

  private var markLines: [String] {
    var arguments: [String] = []
    if name != entity.name { arguments.append(SwiftLiteral.string(entity.name)) }
    let unique = marksUniqueness ? entity.uniquenessConstraints.filter { $0.count > 1 } : lists
    if !unique.isEmpty {
      arguments.append("unique: " + unique.map(SwiftLiteral.strings).joined(separator: ", "))
    }
    if marksIndexes {
      let lists = entity.indexes.map(\.properties).filter { $0.count > 1 }
      if !lists.isEmpty {
        arguments.append("indexes: " + lists.map(SwiftLiteral.strings).joined(separator: ", "))
      }
    }
    if entity.isAbstract { arguments.append("isAbstract: true") }
    if let former = entity.renamingIdentifier {
      arguments.append("renamedFrom: \(SwiftLiteral.string(former))")
    }
    guard !arguments.isEmpty else { return ["@Managed"] }
    let line = "@Managed(\(arguments.joined(separator: ", ")))"
    if line.count <= 100 { return [line] }
    return ["@Managed("] + [arguments.map { "  \($0)" }.joined(separator: ",\n")] + [")"]
  }

  /// The lists of `unique:` when `@Unique` cannot say what the model says.
  private var lists: [[String]] {
    hasEqualConstraints ? [] : entity.uniquenessConstraints
  }

  private var hasEqualConstraints: Bool {
    Set(entity.uniquenessConstraints).count < entity.uniquenessConstraints.count
  }

  /// Whether `@Unique` gives the constraints in the order of the model, which version hashes depend on.
  private var marksUniqueness: Bool {
    let single = Set(entity.uniquenessConstraints.filter { $0.count == 1 }.flatMap(\.self))
    let marked = entity.properties.map(\.name).filter(single.contains).map { [$0] }
    return !hasEqualConstraints
      && marked + entity.uniquenessConstraints.filter { $0.count > 1 }
        == entity.uniquenessConstraints
  }

  /// Whether `@Indexed` and `indexes:` give the indexes, with their names.
  private var marksIndexes: Bool {
    let own = entity.properties.map(\.name)
    let all = entity.indexes
    let single = own.map { FetchIndexDescription([$0]) }.filter(all.contains)
    let several = all.filter {
      $0.elements.count > 1 && $0 == FetchIndexDescription($0.properties)
    }
    let texts = own.map { FetchIndexDescription(fullText: $0) }.filter(all.contains)
    return single + several + texts == all
  }

  // MARK: Variables

  private func declaration(of property: PropertyDescription) -> [String] {
    var marks: [String] = []
    if marksUniqueness, entity.uniquenessConstraints.contains([property.name]) {
      marks.append("@Unique")
    }
    if marksIndexes {
      if entity.indexes.contains(FetchIndexDescription([property.name])) {
        marks.append("@Indexed")
      }
      if entity.indexes.contains(FetchIndexDescription(fullText: property.name)) {
        marks.append("@Indexed(.fullText)")
      }
    }
    let variable: String
    switch property {
    case .attribute(let attribute):
      if attribute.isTransient { marks.append("@Transient") }
      let source = source(of: attribute)
      marks += source.mark.map { [$0] } ?? []
      variable = source.declaration
    case .relationship(let relationship):
      let source = source(of: relationship)
      marks += source.mark.map { [$0] } ?? []
      variable = source.declaration
    }
    return Self.lines(marks, "\(access)var \(variable)")
  }

  /// A declaration with its marks, in front or above it.
  static func lines(_ marks: [String], _ declaration: String) -> [String] {
    let line = (marks + [declaration]).joined(separator: " ")
    if line.count <= 98 { return ["  " + line] }
    return ["  " + marks.joined(separator: " "), "  " + declaration]
  }

  private func source(of attribute: AttributeDescription) -> AttributeSource {
    AttributeSource(
      attribute: attribute,
      name: variables[attribute.name],
      composites: composites
    )
  }

  private func source(of relationship: RelationshipDescription) -> RelationshipSource {
    RelationshipSource(
      relationship: relationship,
      name: variables[relationship.name],
      destination: classes[relationship.destinationEntity]
    )
  }

  // MARK: What no mark can say

  private var completionLines: [String] {
    let lines = completion
    guard !lines.isEmpty else { return [] }
    return [
      "", "  /// What the model says and marks cannot.",
      "  private static func completeEntity(_ entity: inout EntityDescription) {",
    ] + lines.map { "    \($0)" } + ["  }"]
  }

  private var completion: [String] {
    var lines: [String] = []
    if hasEqualConstraints {
      let lists = entity.uniquenessConstraints.map(SwiftLiteral.strings)
      lines.append("entity.uniquenessConstraints = \(SwiftLiteral.list(lists))")
    }
    if !marksIndexes {
      lines.append("entity.indexes = [")
      lines += entity.indexes.map { "  \(Self.text(of: $0))," } + ["]"]
    }
    if !entity.fetchedProperties.isEmpty {
      lines.append("entity.fetchedProperties = [")
      lines += entity.fetchedProperties.map { property in
        let request = TemplateSource.text(of: property.fetchRequest)
        return "  FetchedPropertyDescription(\(SwiftLiteral.string(property.name)), "
          + "fetchRequest: \(request)),"
      }
      lines.append("]")
    }
    if let modifier = entity.versionHashModifier {
      lines.append("entity.versionHashModifier = \(SwiftLiteral.string(modifier))")
    }
    if !entity.userInfo.isEmpty {
      lines.append("entity.userInfo = \(SwiftLiteral.dictionary(entity.userInfo))")
    }
    return lines + entity.properties.flatMap(completion(of:))
  }

  private func completion(of property: PropertyDescription) -> [String] {
    let assignments: [String]
    let function: String
    switch property {
    case .attribute(let attribute):
      assignments = source(of: attribute).completion(of: "$0")
      function = "changeAttribute"
    case .relationship(let relationship):
      assignments = source(of: relationship).completion
      function = "changeRelationship"
    }
    guard let first = assignments.first else { return [] }
    let call = "entity.\(function)(\(SwiftLiteral.string(property.name)))"
    if assignments.count == 1 { return ["\(call) { \(first) }"] }
    return ["\(call) {"] + assignments.map { "  \($0)" } + ["}"]
  }

  private static func text(of index: FetchIndexDescription) -> String {
    let elements = index.elements.map { element in
      ".init(\(SwiftLiteral.string(element.property))"
        + (element.isAscending ? "" : ", isAscending: false")
        + (element.type == .binary ? "" : ", type: .\(element.type)") + ")"
    }
    let condition = index.partialIndexPredicate.map {
      ", partialIndexPredicate: \(SwiftLiteral.string($0))"
    }
    return "FetchIndexDescription(\(SwiftLiteral.string(index.name)), "
      + "elements: \(SwiftLiteral.list(elements))\(condition ?? ""))"
  }
}

extension FetchIndexDescription {
  /// The names of the properties.
  fileprivate var properties: [String] { elements.map(\.property) }
}
