// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// What a save does when what is stored is not what the context expects.
///
/// Two things can happen: somebody else has changed or deleted a row that this context changed too (a version
/// conflict), or an object has the same values as another one under a uniqueness constraint (a constraint conflict).
///
/// **Version conflicts.** "Base" is the row that the context read.
///
/// | policy | changed here only | changed elsewhere only | changed on both sides | deleted elsewhere |
/// | --- | --- | --- | --- | --- |
/// | `error` | fails | fails | fails | fails |
/// | `…ObjectTrump…` | here | stored | here | stored again, same ID |
/// | `…StoreTrump` | here | stored | stored | gone |
/// | `overwrite` | here | base | here | stored again, same ID |
/// | `rollback` | stored | stored | stored | gone |
///
/// An object that is deleted here and was changed elsewhere stays deleted under the object trump policies and
/// `overwrite`, and comes back under store trump and `rollback`. To-one relationships count as properties; both sides
/// of one-to-one relationships are kept in step. To-many relationships have no version: what was added here is added,
/// and what was removed here is removed. The exception is `rollback`, which drops the pairs that this context added
/// to or removed from a many-to-many relationship of the object.
///
/// **Constraint conflicts.** One of the two objects survives with its ID: the stored one, or the older of two new
/// ones. To-many relationships are united. The other object, the newcomer, becomes a forwarding object of the
/// survivor: see ``ManagedObject/isForwarding``. References to it lead to the survivor.
///
/// | policy | assigned to the newcomer | never assigned |
/// | --- | --- | --- |
/// | `mergeByPropertyObjectTrump` | newcomer's | survivor's |
/// | `…OverwritingUnset` | newcomer's | attributes: newcomer's, to-one relationships: survivor's |
/// | `mergeByPropertyStoreTrump` | survivor's unless it is empty | survivor's |
/// | `overwrite` | newcomer's | newcomer's |
/// | `rollback` | survivor's | survivor's |
///
/// Under the object trump policies, the later assignment wins where a property was assigned to both. Under
/// `…OverwritingUnset`, what was never assigned to the newcomer counts as assigned when the newcomer was given its
/// unique values: what was assigned to the survivor after that stays. When the two are compared does not matter.
///
/// Changed objects are compared with each other before every fetch and save. A save also compares them with what is
/// stored. A fetch does so for objects of the entity that it shows, so that it does not show two objects that will be
/// one. Under ``error``, under a custom policy that chooses it, and where one object cannot stand for the other, a
/// fetch shows both, and the save fails; when both are changed, fetches fail, too.
///
/// A stored object that was given the unique values of another stored one is absorbed by that one, and its row is
/// deleted. Under store trump its constrained properties are set back instead, and under `rollback` all its changes
/// are dropped. An object cannot stand for one that has more properties (a new `Special` with the values of a stored
/// `Item`): that is an error under every policy.
///
/// An object that is stored again under its old ID does not count as new. If its unique values have been taken by
/// then, the object that has them absorbs it, takes over what was assigned to the absorbed one, and loses no value.
/// Of two objects that are stored again, the older survives. If two stored objects seem to have the same unique
/// values, though neither was given them in this context, that is a version conflict of the one that is out of date.
///
/// Core Data: `NSMergePolicy`.
public struct MergePolicy: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case error
    case objectTrump
    case objectTrumpOverwritingUnset
    case storeTrump
    case overwrite
    case rollback
    case custom(MergeChooser)
  }

  let kind: Kind

  /// The save fails with code 133020 or 133021 and changes nothing.
  ///
  /// Core Data: `NSErrorMergePolicy`.
  public static let error = MergePolicy(kind: .error)

  /// Property by property, what this context changed wins, and the rest is as stored.
  ///
  /// Under a uniqueness constraint the survivor takes the properties that were assigned to the new
  /// object, and keeps the others. (Core Data overwrites those with the new object's empty values.)
  ///
  /// Core Data: `NSMergeByPropertyObjectTrumpMergePolicy`.
  public static let mergeByPropertyObjectTrump = MergePolicy(kind: .objectTrump)

  /// As ``mergeByPropertyObjectTrump``, but under a uniqueness constraint all attributes of the new object count as
  /// assigned.
  ///
  /// Attributes that were never assigned overwrite stored values with their default or with no value. This is what
  /// Core Data's `NSMergeByPropertyObjectTrumpMergePolicy` does.
  public static let mergeByPropertyObjectTrumpOverwritingUnset = MergePolicy(
    kind: .objectTrumpOverwritingUnset
  )

  /// Property by property, what is stored wins where it was changed on both sides.
  ///
  /// Under a uniqueness constraint the survivor's value wins where it has one; what it lacks is filled
  /// from what was assigned to the new object.
  ///
  /// Core Data: `NSMergeByPropertyStoreTrumpMergePolicy`.
  public static let mergeByPropertyStoreTrump = MergePolicy(kind: .storeTrump)

  /// The whole object as this context has it replaces what is stored, even where it is out of date.
  ///
  /// Core Data: `NSOverwriteMergePolicy`.
  public static let overwrite = MergePolicy(kind: .overwrite)

  /// What is stored replaces this context's changes of the objects that conflict; the save succeeds.
  ///
  /// Core Data: `NSRollbackMergePolicy`.
  public static let rollback = MergePolicy(kind: .rollback)

  /// A policy that a closure chooses for each conflict.
  ///
  /// ```swift
  /// context.mergePolicy = .custom { conflict in
  ///   conflict.objectID?.entityName == "Draft" ? .mergeByPropertyObjectTrump : .rollback
  /// }
  /// ```
  ///
  /// Two policies made by `custom` are equal only if one is a copy of the other.
  ///
  /// - Parameter choose: Gives the policy for a conflict. That policy must not be custom again; it counts as
  ///   ``error`` if it is.
  /// - Returns: The policy.
  public static func custom(
    _ choose: @escaping @Sendable (SavingConflict) -> MergePolicy
  ) -> MergePolicy {
    MergePolicy(kind: .custom(MergeChooser(choose)))
  }
}

extension MergePolicy {
  /// The policy for one conflict: this one, or what its closure gives.
  func chosen(for conflict: @autoclosure () -> SavingConflict) -> MergePolicy {
    guard case .custom(let chooser) = kind else { return self }
    return chooser.policy(for: conflict())
  }
}

/// The closure of a custom policy, with an identity.
final class MergeChooser: Sendable, Hashable {
  private let choose: @Sendable (SavingConflict) -> MergePolicy

  init(_ choose: @escaping @Sendable (SavingConflict) -> MergePolicy) { self.choose = choose }

  func policy(for conflict: SavingConflict) -> MergePolicy {
    let policy = choose(conflict)
    if case .custom = policy.kind { return .error }
    return policy
  }

  static func == (left: MergeChooser, right: MergeChooser) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension MergePolicy: CustomStringConvertible {
  /// The policy's name.
  public var description: String {
    switch kind {
    case .error: "error"
    case .objectTrump: "mergeByPropertyObjectTrump"
    case .objectTrumpOverwritingUnset: "mergeByPropertyObjectTrumpOverwritingUnset"
    case .storeTrump: "mergeByPropertyStoreTrump"
    case .overwrite: "overwrite"
    case .rollback: "rollback"
    case .custom: "custom"
    }
  }
}
