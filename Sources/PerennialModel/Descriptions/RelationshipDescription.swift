// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What happens to the objects of a relationship when their owner is deleted.
///
/// Core Data: `NSDeleteRule`, with the same raw values.
public enum DeleteRule: Int, Sendable, Hashable, Codable {
  /// Nothing happens: the inverse stays as it is.
  case noAction = 0
  /// The objects stay: their inverse becomes `nil`, or loses the owner.
  case nullify = 1
  /// The objects are deleted, too.
  case cascade = 2
  /// The save is refused (code 1600) while there are any such objects.
  case deny = 3
}

/// The description of one relationship in a model.
///
/// Core Data: `NSRelationshipDescription`.
public struct RelationshipDescription: Sendable, Hashable, Codable {
  /// The relationship's name, unique within its entity.
  public var name: String
  /// The name of the entity that it leads to.
  public var destinationEntity: String
  /// The name of the relationship back; `nil` for none, or to let the model infer it when only one fits
  /// (``infersInverse``).
  public var inverse: String?
  private var inference = InverseInferring()
  /// `true` or nothing, so that it is not encoded where it says nothing.
  private var transience: Bool?
  /// Whether it leads to any number of objects.
  public var isToMany: Bool
  /// Whether a to-many relationship keeps its order.
  public var isOrdered: Bool
  /// What happens to the objects when their owner is deleted.
  public var deleteRule: DeleteRule
  /// Whether it may be empty.
  public var isOptional: Bool
  /// The least number of objects, which a save checks unless the relationship is optional and empty.
  public var minimumCount: Int
  /// The greatest number of objects; 0 means no limit.
  ///
  /// The number -1, which models made in code for Core Data have, means the same, but makes another version
  /// hash.
  public var maximumCount: Int
  /// The relationship's name in an earlier version of the model, if that was another one.
  ///
  /// A migration takes over the links of that name, whatever versions lie between.
  ///
  /// Core Data: `renamingIdentifier`.
  public var renamingIdentifier: String?
  /// Text that makes the version hash differ where nothing else does.
  public var versionHashModifier: String?
  /// Conditions that a save checks (code 1550): `SELF` in them is the relationship's object or objects.
  ///
  /// A to-one relationship without an object meets them.
  public var validation: [ValidationPredicate]
  /// Notes that Perennial keeps and does not read.
  public var userInfo: [String: String]

  /// Whether a model infers the inverse when ``inverse`` is `nil`; `true` by default.
  ///
  /// An inverse is inferred only where exactly one pair fits. Two to-one relationships within an entity, such
  /// as a mother and a father, are never a pair. Relationships that are read from model files have `false`,
  /// because Core Data infers none: if neither side names an inverse, there is none. Two descriptions that
  /// differ in nothing else are equal.
  public var infersInverse: Bool {
    get { inference.isOn }
    set { inference.isOn = newValue }
  }

  /// Whether a model file calls it transient although its inverse is stored, so that Perennial stores it, too.
  ///
  /// Whether Core Data's version hashes count such a relationship is not known.
  package var isHalfTransient: Bool {
    get { transience == true }
    set { transience = newValue ? true : nil }
  }

  /// Describes a relationship.
  ///
  /// - Parameters:
  ///   - name: Its name, unique within its entity.
  ///   - destinationEntity: The name of the entity that it leads to.
  ///   - inverse: The name of the relationship back; `nil` for none, or to let the model infer it.
  ///   - isToMany: Whether it leads to any number of objects.
  ///   - isOrdered: Whether a to-many relationship keeps its order.
  ///   - deleteRule: What happens to its objects when their owner is deleted.
  ///   - isOptional: Whether it may be empty.
  ///   - minimumCount: The least number of objects, unless it is optional and empty.
  ///   - maximumCount: The greatest number of objects, 0 for no limit; `nil` stands for 1, or for 0 if it is to-many.
  ///   - renamingIdentifier: Its name in an earlier version of the model; `nil` if that was the same.
  ///   - versionHashModifier: Text that makes the version hash differ where nothing else does.
  ///   - validation: Conditions that a save checks: `SELF` in them is the relationship's object or objects.
  ///   - userInfo: Notes that Perennial keeps and does not read.
  public init(
    _ name: String,
    to destinationEntity: String,
    inverse: String? = nil,
    isToMany: Bool = false,
    isOrdered: Bool = false,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    minimumCount: Int = 0,
    maximumCount: Int? = nil,
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    validation: [ValidationPredicate] = [],
    userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.destinationEntity = destinationEntity
    self.inverse = inverse
    self.isToMany = isToMany
    self.isOrdered = isOrdered
    self.deleteRule = deleteRule
    self.isOptional = isOptional
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount ?? (isToMany ? 0 : 1)
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.validation = validation
    self.userInfo = userInfo
  }
}
