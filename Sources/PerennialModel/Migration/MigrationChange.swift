// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One difference between two versions of a model, and what it does to a store.
public struct MigrationChange: Sendable, Hashable, Codable {
  /// What kind of difference it is.
  public enum Kind: String, Sendable, Hashable, Codable {
    /// Entities.
    case entityAdded, entityRemoved, entityRenamed, parentChanged, abstractnessChanged
    /// Entities of several inheritance trees would come to lie in one.
    case hierarchiesMerged
    /// Two entities or properties say that they were the same one.
    case ambiguousRenaming
    /// Uniqueness constraints: one is added, or holds for more values than before; one is removed.
    case constraintAdded, constraintRemoved
    /// Attributes.
    case attributeAdded, attributeRemoved, attributeRenamed, typeChanged, derivationChanged
    /// Where or how values are kept: external storage, tombstones, a version hash modifier.
    case storageChanged
    /// Relationships.
    case relationshipAdded, relationshipRemoved, relationshipRenamed, destinationChanged
    /// To-one becomes to-many, or the other way round.
    case cardinalityChanged
    /// A list gets an order, or loses it.
    case orderChanged
    /// The relationship back is added, removed or another one.
    case inverseChanged
    /// The number of objects of a relationship is bounded otherwise.
    case countChanged
    /// A property may have no value, or must have one.
    case optionalityChanged
    /// A property moves to another entity of its inheritance tree.
    case propertyMoved
  }

  /// What kind of difference it is.
  public let kind: Kind
  /// The entity: by its name in the new model, or in the old one if it is removed.
  public let entity: String
  /// The property, likewise; `nil` for a change of the entity itself.
  public let property: String?
  /// What it does to what is stored.
  public let risk: MigrationRisk
  /// Whether a store can be migrated over it without code of the program's own.
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
