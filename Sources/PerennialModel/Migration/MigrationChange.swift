// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One difference between two versions of a model, and what it does to a store.
public struct MigrationChange: Sendable, Hashable, Codable {
  /// A kind of difference.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// An entity is added, removed or renamed, gets another parent, becomes abstract, or is no longer abstract.
    case entityAdded, entityRemoved, entityRenamed, parentChanged, abstractnessChanged
    /// Entities of several hierarchies would come to lie in one.
    case hierarchiesMerged
    /// Two entities or properties have the same renaming identifier.
    case ambiguousRenaming
    /// A uniqueness constraint is added, holds for more objects or values than before, or is removed.
    case constraintAdded, constraintRemoved
    /// An attribute is added, removed or renamed, gets another type, or is derived otherwise.
    case attributeAdded, attributeRemoved, attributeRenamed, typeChanged, derivationChanged
    /// Where or how values are kept changes: external storage, tombstones, or a version hash modifier.
    case storageChanged
    /// A relationship is added, removed or renamed, or leads to another entity.
    case relationshipAdded, relationshipRemoved, relationshipRenamed, destinationChanged
    /// To-one becomes to-many, or the other way round.
    case cardinalityChanged
    /// A list gets an order, or loses it.
    case orderChanged
    /// The inverse is added, removed, or another one.
    case inverseChanged
    /// The limits on the number of a relationship's objects change.
    case countChanged
    /// A property becomes optional or required.
    case optionalityChanged
    /// A property moves to another entity of its hierarchy.
    case propertyMoved
  }

  /// The kind of the difference.
  public let kind: Kind
  /// The entity's name in the new model, or in the old one if the entity is removed.
  public let entity: String
  /// The property's name, likewise; `nil` for a change of the entity itself.
  public let property: String?
  /// What the difference does to what is stored.
  public let risk: MigrationRisk
  /// Whether a store can be migrated across the difference without code of the program's own.
  public let isInferable: Bool
  /// What the difference is, in a few words.
  public let explanation: String
  /// What to do about it; empty when there is nothing to do.
  public let advice: String

  init(
    _ kind: Kind,
    _ entity: String,
    property: String? = nil,
    _ risk: MigrationRisk,
    isInferable: Bool? = nil,
    _ explanation: String,
    advice: String = ""
  ) {
    self.kind = kind
    self.entity = entity
    self.property = property
    self.risk = risk
    self.isInferable = isInferable ?? (risk != .needsCode)
    self.explanation = explanation
    self.advice = advice
  }

  /// Where the difference is: `Entity` or `Entity.property`.
  public var place: String { property.map { "\(entity).\($0)" } ?? entity }
}

extension MigrationChange: CustomStringConvertible {
  /// For example `Commit.author: relationship added (to-one Author, optional)`.
  public var description: String { "\(place): \(explanation)" }
}
