// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a save does when what is stored is not what the context expects.
///
/// Two things can happen: another context has changed a row that this one changed too, or a new
/// object has the values of a stored one under a uniqueness constraint.
///
/// Core Data: `NSMergePolicy`.
public struct MergePolicy: Sendable, Hashable {
  enum Kind: Sendable {
    case error
    case objectTrump
  }

  let kind: Kind

  /// The save fails with code 133,020 or 133,021 and changes nothing.
  public static let error = MergePolicy(kind: .error)

  /// Property by property, what this context changed wins, and the rest is as stored.
  ///
  /// Under a uniqueness constraint the stored object survives with its ID and takes the properties
  /// that were assigned to the new one; properties that were never assigned stay as stored. (Core
  /// Data overwrites them with the new object's empty values.) To-many relationships are united.
  /// The new object goes on to live as a forwarding object: see ``ManagedObject/isForwarding``.
  public static let mergeByPropertyObjectTrump = MergePolicy(kind: .objectTrump)
}
