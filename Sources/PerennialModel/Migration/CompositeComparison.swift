// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Lists the differences between the elements of a composite attribute.
struct CompositeComparison {
  private let entity: String
  private let old: AttributeDescription
  private let new: AttributeDescription
  /// The old names of elements by their new ones, which are whole: `address.city`.
  private let sourceNames: [String: String]

  init(
    _ entity: String,
    _ old: AttributeDescription,
    _ new: AttributeDescription,
    _ sourceNames: [String: String]
  ) {
    self.entity = entity
    self.old = old
    self.new = new
    self.sourceNames = sourceNames
  }

  /// An element with a value.
  private struct Leaf {
    let name: String
    let element: AttributeDescription
    /// Whether the attribute, or an element around this one, may have no value.
    let isInOptional: Bool

    var mayBeMissing: Bool { element.isOptional || isInOptional }
  }

  func changes() -> [MigrationChange] {
    var gone = Dictionary(leaves(old).map { ("\(old.name).\($0.name)", $0) }) { first, _ in first }
    var changes: [MigrationChange] = []
    for leaf in leaves(new) {
      let source = sourceNames["\(new.name).\(leaf.name)"]
      guard let past = source.flatMap({ gone.removeValue(forKey: $0) }) else {
        changes.append(added(leaf))
        continue
      }
      if past.name != leaf.name {
        changes.append(
          change(.attributeRenamed, leaf, .safe, "element renamed from '\(past.name)'")
        )
      }
      changes += typeChanges(past, leaf) + optionalityChanges(past, leaf)
    }
    for (_, leaf) in gone.sorted(by: { $0.key < $1.key }) {
      changes.append(
        change(
          .attributeRemoved,
          leaf,
          .destructive,
          "element removed; its values are lost",
          PropertyDescription.attribute(leaf.element).renamingAdvice
        )
      )
    }
    return changes
  }

  private let setIt = "set it in a MigrationStage"

  private func added(_ leaf: Leaf) -> MigrationChange {
    leaf.mayBeMissing || !leaf.element.lacksDefault
      ? change(.attributeAdded, leaf, .safe, "element added")
      : change(
        .attributeAdded,
        leaf,
        .needsCode,
        "required element added, without a default value",
        setIt
      )
  }

  private func typeChanges(_ past: Leaf, _ leaf: Leaf) -> [MigrationChange] {
    let (before, now) = (past.element.type, leaf.element.type)
    guard before != now else { return [] }
    let words = "type changed from \(before.words) to \(now.words)"
    return before.widens(to: now)
      ? [change(.typeChanged, leaf, .safe, words)]
      : [change(.typeChanged, leaf, .needsCode, words, setIt)]
  }

  private func optionalityChanges(_ past: Leaf, _ leaf: Leaf) -> [MigrationChange] {
    if past.mayBeMissing, !leaf.mayBeMissing {
      return leaf.element.lacksDefault
        ? [
          change(
            .optionalityChanged,
            leaf,
            .needsCode,
            "becomes required, without a default value",
            "give it a default value, or \(setIt)"
          )
        ]
        : [
          change(.optionalityChanged, leaf, .safe, "becomes required; its default value fills gaps")
        ]
    }
    guard past.element.isOptional != leaf.element.isOptional else { return [] }
    let words =
      leaf.element.isOptional ? "becomes optional" : "becomes required, within what is not"
    return [change(.optionalityChanged, leaf, .safe, words)]
  }

  private func leaves(
    _ attribute: AttributeDescription,
    _ prefix: String = "",
    isInOptional: Bool = false
  ) -> [Leaf] {
    let isInOptional = isInOptional || attribute.isOptional
    return attribute.elements.flatMap { element in
      element.type == .composite
        ? leaves(element, "\(prefix)\(element.name).", isInOptional: isInOptional)
        : [Leaf(name: prefix + element.name, element: element, isInOptional: isInOptional)]
    }
  }

  private func change(
    _ kind: MigrationChange.Kind,
    _ leaf: Leaf,
    _ risk: MigrationRisk,
    _ explanation: String,
    _ advice: String = ""
  ) -> MigrationChange {
    MigrationChange(
      kind,
      entity,
      property: "\(new.name).\(leaf.name)",
      risk,
      explanation,
      advice: advice
    )
  }
}
