// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import Synchronization

/// A small number for a store, so that an object that has left its context still knows its ID.
///
/// Numbers are given for the life of the process and never again. When they run out, after 4,094
/// stores whose objects have left a context, further ones have none.
struct StoreNumber: Sendable {
  /// 0 for none.
  let value: Int64

  /// What an ID needs of a store.
  private struct Store: Sendable {
    let ids: ObjectIDMaker
    let entityNames: [String]
  }

  private struct Register: Sendable {
    var stores: [Store] = []
    var numbers: [UUID: Int64] = [:]
  }

  private static let register = Mutex(Register())
  static let limit: Int64 = 0xFFF

  /// The number of a store, given now if it has none.
  init(of store: any RowStore) {
    let identifier = store.identifier
    let names = store.model.entities.map(\.name)
    value = Self.register.withLock { register in
      if let known = register.numbers[identifier],
        register.stores[Int(known) - 1].entityNames == names
      {
        return known
      }
      let number = Int64(register.stores.count) + 1
      guard number < Self.limit else { return 0 }
      register.stores.append(
        Store(ids: ObjectIDMaker(store.model, store.naming), entityNames: names)
      )
      register.numbers[identifier] = number
      return number
    }
  }

  /// The ID of an object of a numbered store, or `nil` when the store has no number.
  static func objectID(number: Int64, entity: Int, key: Int64) -> ManagedObjectID? {
    register.withLock { register in
      guard number > 0, number <= register.stores.count else { return nil }
      let store = register.stores[Int(number) - 1]
      guard entity < store.entityNames.count else { return nil }
      guard key >= 0 else {
        return ManagedObjectID(entityName: store.entityNames[entity], owner: .none, key: key)
      }
      return store.ids.id(entity, key)
    }
  }
}
