// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What stores depend on although no version hash tells it: what attributes are derived of, and which relationships to
/// one object at most are to-many.
///
/// The hashes are in stores and, as far as its are known, Core Data's: they stay as they are.
struct UnhashedParts {
  /// The parts of every entity's own properties, by the names of both.
  private let byEntity: [String: [String: String]]

  init(of model: ModelLayout) {
    byEntity = Dictionary(
      uniqueKeysWithValues: model.entities.map { ($0.name, Self.parts(of: $0.description)) }
    )
  }

  /// The names of the entities whose parts differ from those of a model of the same version hashes, sorted.
  func differences(from other: UnhashedParts) -> [String] {
    byEntity.keys.filter { byEntity[$0] != other.byEntity[$0] }.sorted()
  }

  private static func parts(of entity: EntityDescription) -> [String: String] {
    var parts: [String: String] = [:]
    for property in entity.properties {
      switch property {
      case .attribute(let attribute) where !attribute.isTransient:
        parts[attribute.name] = attribute.derivationExpression
      case .relationship(let relationship)
      where relationship.isToMany && relationship.maximumCount == 1:
        parts[relationship.name] = "to-many"
      case .attribute, .relationship: break
      }
    }
    return parts
  }
}

extension ModelLayout {
  /// The names of the entities for whose sake stores of another model do not fit this one, sorted.
  package func differences(from other: ModelLayout) -> [String] {
    if self === other { return [] }
    let differences = versionHashes.differences(from: other.versionHashes)
    return differences.isEmpty
      ? UnhashedParts(of: self).differences(from: UnhashedParts(of: other)) : differences
  }

  /// Whether stores of one of two models fit the other as they are.
  package func isSameVersion(as other: ModelLayout) -> Bool { differences(from: other).isEmpty }
}
