// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Lists the differences that a mapping of models bridges, entity by entity.
struct MigrationPlanner {
  private let mapping: ModelMapping
  private var old: ModelLayout { mapping.source }
  private var new: ModelLayout { mapping.destination }

  init(_ mapping: ModelMapping) { self.mapping = mapping }

  func changes() -> [MigrationChange] {
    var changes: [MigrationChange] = []
    for entity in new.entities {
      if mapping.ambiguousEntities.contains(entity.index) {
        let identifier = entity.description.renamingIdentifier ?? entity.name
        changes.append(.ambiguous(entity.name, nil, identifier))
      }
      changes += mergers(entity)
      guard let source = mapping.mapping(ofDestination: entity.index) else {
        changes.append(.init(.entityAdded, entity.name, .safe, "entity added"))
        changes += ConstraintComparison(mapping).added(to: entity)
        continue
      }
      let before = old.entities[source.source]
      changes += entityChanges(entity, before)
      changes += PropertyPlanner(mapping, entity, before, source).changes()
    }
    for entity in old.entities where mapping.destinations[entity.index] == nil {
      changes.append(
        .init(
          .entityRemoved,
          entity.name,
          .destructive,
          "entity removed; its objects are deleted",
          advice:
            "if it was renamed, give the new one the renaming identifier '\(entity.canonicalName)'"
        )
      )
    }
    return changes
  }

  // MARK: Entities

  private func entityChanges(_ entity: EntityLayout, _ before: EntityLayout) -> [MigrationChange] {
    var changes: [MigrationChange] = []
    if entity.name != before.name {
      changes.append(
        .init(.entityRenamed, entity.name, .safe, "entity renamed from '\(before.name)'")
      )
    }
    changes += hierarchyChanges(entity, before)
    if entity.description.isAbstract != before.description.isAbstract {
      changes.append(
        entity.description.isAbstract
          ? .init(
            .abstractnessChanged,
            entity.name,
            .needsCode,
            "becomes abstract: objects of it, not of subentities, cannot stay",
            advice: "delete them, or move them to a subentity, in a MigrationStage"
          )
          : .init(.abstractnessChanged, entity.name, .safe, "is no longer abstract")
      )
    }
    if entity.description.versionHashModifier != before.description.versionHashModifier {
      changes.append(.init(.storageChanged, entity.name, .safe, "version hash modifier changed"))
    }
    let constraints = ConstraintComparison(mapping)
    return changes + constraints.added(to: entity) + constraints.removed(from: entity, before)
  }

  private func hierarchyChanges(_ entity: EntityLayout, _ before: EntityLayout) -> [MigrationChange]
  {
    var changes: [MigrationChange] = []
    let parent = entity.superentity
    let oldParent = before.superentity.flatMap { mapping.destinations[$0] }
    if parent != oldParent || (before.superentity != nil && oldParent == nil) {
      let words =
        parent.map { "inherits from '\(new.entities[$0].name)'" } ?? "inherits from no entity"
      changes.append(.init(.parentChanged, entity.name, .safe, "\(words) now"))
    }
    return changes
  }

  /// What is wrong with a root that takes the objects of several.
  private func mergers(_ root: EntityLayout) -> [MigrationChange] {
    let roots = mapping.sourceRoots(ofRoot: root.index)
    guard root.superentity == nil, roots.count > 1 else { return [] }
    let names = roots.sorted().map { "'\(old.entities[$0].name)'" }.joined(separator: " and ")
    return [
      .init(
        .hierarchiesMerged,
        root.name,
        .needsCode,
        "takes the objects of \(names), which had no common parent",
        advice:
          "keep the trees apart, or add the entity under a new name and copy its objects in a MigrationStage"
      )
    ]
  }
}

extension MigrationChange {
  static func ambiguous(_ entity: String, _ property: String?, _ identifier: String) -> Self {
    .init(
      .ambiguousRenaming,
      entity,
      property: property,
      .needsCode,
      "another one has the renaming identifier '\(identifier)', too",
      advice: "give the identifier to one of them"
    )
  }
}

extension EntityLayout {
  var canonicalName: String { description.renamingIdentifier ?? name }
}
