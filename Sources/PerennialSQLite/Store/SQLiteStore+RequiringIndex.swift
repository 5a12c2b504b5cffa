// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate
import PerennialSQL
package import PerennialStore

extension SQLiteStore {
  package func checkForIndex(_ query: StoreQuery) throws(PerennialError) {
    let explanation = try explain(query)
    guard let alias = explanation.plan.lazy.compactMap(Self.scannedAlias).first else { return }
    let entity = model.entities[query.entity]
    guard alias == "t0" else { throw needsIndex(alias, explanation.sql, entity) }
    guard let condition = try query.predicate?.checked() else {
      throw Self.needsIndex(
        "without a condition it reads all of them",
        "give it a condition on an indexed attribute",
        of: entity
      )
    }
    guard let (part, property) = condition.unindexedPart(of: entity) else {
      throw Self.needsIndex(
        "'\(condition.outline)' is asked of every one of them",
        "add a condition on an indexed attribute that selects few",
        of: entity
      )
    }
    let isText = part.comparator.looksInsideText
    throw Self.needsIndex(
      "'\(PredicateNode.comparison(part).outline)' is asked of every one of them",
      isText
        ? "declare '@Indexed(.fullText) var \(property)'" : "declare '@Indexed var \(property)'",
      of: entity
    )
  }

  /// The alias of a table that a step of a plan reads from end to end, with no index of its own.
  private static func scannedAlias(_ step: String) -> String? {
    let words = step.split(separator: " ").filter { $0 != "TABLE" }
    guard words.count > 1 else { return nil }
    let isScan = words[0] == "SCAN" && !words.contains("USING") && !words.contains("VIRTUAL")
    let isBuilt = words.contains("AUTOMATIC")
    guard isScan || isBuilt, let mark = words[1].first, mark == "t" || mark == "j",
      words[1].dropFirst().allSatisfy(\.isNumber)
    else { return nil }
    return String(words[1])
  }

  /// A related table that is read from end to end.
  private func needsIndex(
    _ alias: String,
    _ sql: String,
    _ entity: EntityLayout
  ) -> PerennialError {
    let words = sql.split { $0 == " " || $0 == "(" || $0 == ")" }.map(String.init)
    let place = words.indices.dropLast(2).first { words[$0 + 1] == "AS" && words[$0 + 2] == alias }
    let table = place.map { words[$0] }
    let name = model.entities.first { schema.table(of: $0.index) == table }?.name ?? "related"
    return Self.needsIndex(
      "for its condition all objects of '\(name)' are read",
      "declare '@Indexed' on the attribute of '\(name)' that the condition compares",
      of: entity
    )
  }

  private static func needsIndex(
    _ reason: String,
    _ advice: String,
    of entity: EntityLayout
  ) -> PerennialError {
    PerennialError(
      .requiresIndex,
      "The request for '\(entity.name)' requires an index, but \(reason).",
      recovery: "\(advice); or leave out requireIndex().",
      entity: entity.name
    )
  }
}

extension PredicateNode {
  /// The first comparison of an attribute of the entity's own that no index begins with.
  fileprivate func unindexedPart(of entity: EntityLayout) -> (Comparison, property: String)? {
    switch self {
    case .constant: return nil
    case .and(let nodes), .or(let nodes):
      return nodes.lazy.compactMap { $0.unindexedPart(of: entity) }.first
    case .not(let node): return node.unindexedPart(of: entity)
    case .comparison(let comparison):
      for side in [comparison.left, comparison.right] {
        guard case .keyPath(.object, let steps) = side, steps.count == 1,
          let slot = entity.slotsByName[steps[0]], entity.slots[slot].attributeType != nil,
          !entity.hasIndex(of: steps[0], forText: comparison.comparator.looksInsideText)
        else { continue }
        return (comparison, steps[0])
      }
      return nil
    }
  }
}

extension EntityLayout {
  fileprivate func hasIndex(of property: String, forText isText: Bool) -> Bool {
    description.indexes.contains { index in
      index.elements.first?.property == property
        && (index.elements.first?.type == .fullText) == isText
    } || (!isText && description.uniquenessConstraints.contains { $0.first == property })
  }
}

extension Comparison.Operator {
  /// Whether the operator asks for a part of a text.
  fileprivate var looksInsideText: Bool {
    switch self {
    case .contains, .endsWith, .like, .matches: true
    default: false
    }
  }
}
