// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The struct of a composite attribute, with `@Composite`.
struct CompositeSource {
  let name: String
  let elements: [AttributeDescription]
  let composites: [[AttributeDescription]: String]
  let reserved: Set<String>
  /// `public `, with the space, or nothing.
  let access: String

  /// The struct's text.
  var text: String {
    let names = PropertyNames(elements.map(\.name), reserved: reserved)
    var lines = ["/// A composite attribute.", "@Composite"]
    lines.append("\(access)nonisolated struct \(name) {")
    var parameters: [String] = []
    var assignments: [String] = []
    for element in elements {
      let source = AttributeSource(
        attribute: element,
        name: names[element.name],
        composites: composites,
        isElement: true
      )
      let mark = source.mark.map { [$0] } ?? []
      lines += ClassSource.lines(mark, "\(access)var \(source.declaration)")
      let isOptional = source.declaration.hasSuffix("?")
      parameters.append("\(source.declaration)\(isOptional ? " = nil" : "")")
      let variable = SwiftName.quoted(names[element.name])
      assignments.append("    self.\(variable) = \(variable)")
    }
    // The initialiser that the compiler adds is internal.
    if !access.isEmpty {
      lines += ["", "  /// Makes a value."]
      lines.append("  \(access)init(\(parameters.joined(separator: ", "))) {")
      lines += assignments + ["  }"]
    }
    return lines.joined(separator: "\n") + "\n}\n"
  }

  /// The composite types of a model by their elements.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - known: Those that have a name.
  /// - Returns: Those in use; one without a name has that of an attribute.
  static func all(
    in model: ManagedObjectModel,
    named known: [[AttributeDescription]: String]
  ) -> [[AttributeDescription]: String] {
    var names: [[AttributeDescription]: String] = [:]
    func add(_ attribute: AttributeDescription) {
      guard attribute.type == .composite, names[attribute.elements] == nil else { return }
      names[attribute.elements] =
        known[attribute.elements] ?? SwiftName.name(of: attribute.name, isCapital: true)
      for element in attribute.elements { add(element) }
    }
    for entity in model.entities {
      for case .attribute(let attribute) in entity.properties { add(attribute) }
    }
    return names
  }
}
