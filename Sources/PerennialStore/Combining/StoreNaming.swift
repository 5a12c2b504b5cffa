// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import Synchronization

/// How the rows of a store are named where only the ID of an object is known.
///
/// An ID has the identifier of the store that keeps the row, and the key that the row has there. In a
/// context on several stores, keys also say which store they are of (``StoreKey``).
package struct StoreNaming: Sendable {
  private let store: UUID
  private let members: MemberNames?

  /// The naming of one store.
  package init(_ store: UUID) {
    self.store = store
    members = nil
  }

  init(_ store: UUID, members: MemberNames) {
    self.store = store
    self.members = members
  }

  /// Whether rows of several stores may be named.
  var hasMembers: Bool { members != nil }

  /// The ID of a single stored row; ``ObjectIDMaker`` makes those of many.
  package func objectID(_ entityName: String, _ key: Int64) -> ManagedObjectID {
    guard let members else {
      return ManagedObjectID(entityName: entityName, owner: store, key: key)
    }
    return ManagedObjectID(
      entityName: entityName,
      owner: members.store(StoreKey.store(of: key)) ?? store,
      key: StoreKey.own(key)
    )
  }

  /// The key that a permanent ID stands for; `nil` for an ID of another store, or of a key that none of several
  /// stores can have.
  package func key(of id: ManagedObjectID) -> Int64? {
    guard let members else { return id.owner == store ? id.key : nil }
    guard StoreKey.fits(id.key) else { return nil }
    return members.number(of: id.owner).map { StoreKey.combined(id.key, store: $0) }
  }

  /// Whether rows of a store are named.
  package func names(_ store: UUID) -> Bool {
    members.map { $0.number(of: store) != nil } ?? (store == self.store)
  }

  /// The store of a key.
  package func store(ofKey key: Int64) -> UUID {
    members?.store(StoreKey.store(of: key)) ?? store
  }

  /// The stores, the first one first.
  package var stores: [UUID] { members?.all ?? [store] }

  /// Whether both give every row the same ID.
  package func agrees(with other: StoreNaming) -> Bool {
    store == other.store && members === other.members
  }
}

/// The numbers that stores have got, for good: a store that comes back finds its number again.
final class MemberNames: Sendable {
  private let identifiers = Mutex<[UUID]>([])

  /// The number of a store, given now if it has none; `nil` when there are too many.
  func add(_ store: UUID) -> Int? {
    identifiers.withLock { identifiers in
      if let number = identifiers.firstIndex(of: store) { return number }
      guard identifiers.count < StoreKey.storeLimit else { return nil }
      identifiers.append(store)
      return identifiers.count - 1
    }
  }

  func store(_ number: Int) -> UUID? {
    identifiers.withLock { $0.indices.contains(number) ? $0[number] : nil }
  }

  func number(of store: UUID) -> Int? { identifiers.withLock { $0.firstIndex(of: store) } }

  var all: [UUID] { identifiers.withLock { $0 } }
}

/// The keys of rows of several stores: the number of the store in the bits above those of its own key.
///
/// The keys of the first store, number 0, are its own.
package enum StoreKey {
  /// How many bits a store's own keys may have: enough for a row every millisecond for 34 years.
  private static let bits: Int64 = 40
  private static let mask: Int64 = 1 << bits - 1
  /// Keys have 48 bits, one of them for the sign.
  static let storeLimit = 128

  package static func combined(_ key: Int64, store: Int) -> Int64 {
    key | Int64(store) << bits
  }

  package static func store(of key: Int64) -> Int { Int(key >> bits) }

  package static func own(_ key: Int64) -> Int64 { key & mask }

  /// What has to be added to a store's own keys.
  static func offset(ofStore store: Int) -> Int64 { Int64(store) << bits }

  /// Whether a store's own key leaves room for the store's number.
  static func fits(_ key: Int64) -> Bool { key >= 0 && key <= mask }
}
