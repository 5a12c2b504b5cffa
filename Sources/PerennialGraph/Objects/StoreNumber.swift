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
  /// What the ID of an object that has left needs of its store.
  private struct Store: Sendable {
    let ids: ObjectIDMaker
    let entityNames: [String]
    /// The coordinator, and the objects that have left.
    var holders = 1
  }

  private struct Register: Sendable {
    var stores: [Store?] = []
    var free: [Int] = []

    mutating func add(_ store: any RowStore) -> Int64 {
      let next = free.popLast() ?? stores.count
      guard next < StoreNumber.limit - 1 else { return 0 }
      if next == stores.count { stores.append(nil) }
      stores[next] = Store(
        ids: ObjectIDMaker(store.model, store.naming),
        entityNames: store.model.entities.map(\.name)
      )
      return Int64(next) + 1
    }

    mutating func release(_ number: Int64) {
      let place = Int(number) - 1
      guard stores.indices.contains(place), let holders = stores[place]?.holders else { return }
      if holders > 1 {
        stores[place]?.holders = holders - 1
      } else {
        stores[place] = nil
        free.append(place)
      }
    }
  }

  private static let register = Mutex(Register())
  static let limit: Int64 = 0xFFF

  /// -1 until it is asked for, 0 for none; written under the register's lock.
  private let value = Atomic<Int64>(-1)

  deinit {
    let value = value.load(ordering: .relaxed)
    if value > 0 { Self.release(value) }
  }

  /// The number, for an object that leaves; it is released with the object.
  ///
  /// - Parameter store: The coordinator's.
  /// - Returns: 0 where there are no more.
  func held(for store: any RowStore) -> Int64 {
    Self.register.withLock { register in
      var number = value.load(ordering: .relaxed)
      if number < 0 {
        number = register.add(store)
        value.store(number, ordering: .relaxed)
      }
      if number > 0 { register.stores[Int(number) - 1]?.holders += 1 }
      return number
    }
  }

  /// Releases the number of an object that goes, or that comes back to its context; 0 is none.
  static func release(_ number: Int64) { register.withLock { $0.release(number) } }

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
