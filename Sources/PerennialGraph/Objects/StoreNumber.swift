// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Synchronization

/// A small number for a store, so that an object that has left its context still knows its ID.
///
/// A coordinator gets a number when the first object leaves one of its contexts. The number is free
/// again when the coordinator and all objects that left have gone. While 4,094 are in use, further
/// coordinators have none, and objects that leave their contexts no ID that leads back to them.
final class StoreNumber: Sendable {
  /// How many keep a number: the coordinator, and the objects that have left.
  final class Holders: Sendable { let count = Atomic(1) }

  /// What the ID of an object that has left needs of its store.
  struct Store: Sendable {
    let ids: ObjectIDMaker
    let entityNames: [String]
    let holders: Holders
  }

  struct Register: Sendable {
    var stores: [Store?] = []
    var free: [Int] = []

    /// Gives a store a number.
    ///
    /// - Parameters:
    ///   - store: The coordinator's.
    ///   - holders: Keep the number.
    /// - Returns: The number, or 0 where there are no more.
    mutating func add(_ store: any RowStore, _ holders: Holders) -> Int64 {
      let next = free.popLast() ?? stores.count
      guard next < StoreNumber.limit - 1 else { return 0 }
      if next == stores.count { stores.append(nil) }
      stores[next] = Store(
        ids: ObjectIDMaker(store.model, store.naming),
        entityNames: store.model.entities.map(\.name),
        holders: holders
      )
      return Int64(next) + 1
    }

    mutating func release(_ number: Int64) {
      let place = Int(number) - 1
      guard stores.indices.contains(place), let holders = stores[place]?.holders,
        holders.count.wrappingSubtract(1, ordering: .relaxed).newValue == 0
      else { return }
      stores[place] = nil
      free.append(place)
    }
  }

  private static let register = Mutex(Register())
  static let limit: Int64 = 0xFFF

  private let holders = Holders()
  /// 0 until it is asked for, and as long as there are no more; written under the register's lock.
  private let value = Atomic<Int64>(0)

  deinit { Self.release(value.load(ordering: .relaxed)) }

  /// The number, for an object that leaves; it is released with the object.
  ///
  /// Nothing is locked once there is a number: the coordinator, whose context calls, keeps it.
  ///
  /// - Parameter store: The coordinator's.
  /// - Returns: 0 where there are no more.
  func held(for store: @autoclosure () -> any RowStore) -> Int64 {
    let known = value.load(ordering: .relaxed)
    let number = known > 0 ? known : find(for: store())
    if number > 0 { holders.count.wrappingAdd(1, ordering: .relaxed) }
    return number
  }

  private func find(for store: any RowStore) -> Int64 {
    Self.register.withLock { register in
      let known = value.load(ordering: .relaxed)
      let number = known > 0 ? known : register.add(store, holders)
      value.store(number, ordering: .relaxed)
      return number
    }
  }

  /// Releases the number of an object that goes, or that comes back to its context; 0 and ``limit`` are none.
  static func release(_ number: Int64) {
    guard number > 0, number < limit else { return }
    register.withLock { $0.release(number) }
  }

  /// The ID of an object of a numbered store, or `nil` when the store has no number.
  static func objectID(number: Int64, entity: Int, key: Int64) -> ManagedObjectID? {
    register.withLock { register in
      let place = Int(number) - 1
      guard register.stores.indices.contains(place), let store = register.stores[place],
        entity < store.entityNames.count
      else { return nil }
      guard key >= 0 else {
        return ManagedObjectID(entityName: store.entityNames[entity], owner: .none, key: key)
      }
      return store.ids.id(entity, key)
    }
  }
}
