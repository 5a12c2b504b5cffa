// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Works on a shop's store as a program does, and tells what the library has acknowledged.
final class ShopWriter {
  private let place: StorePlace
  private let models: ShopModels
  private let script: ShopScript
  private let tell: (ShopEvent) -> Void
  private var container: PersistentContainer?
  private var contexts: [ManagedObjectContext] = []
  /// What the store contains, as far as the writer knows.
  private(set) var shop: Shop?

  init(
    _ place: StorePlace,
    _ models: ShopModels,
    _ script: ShopScript,
    tell: @escaping (ShopEvent) -> Void
  ) {
    self.place = place
    self.models = models
    self.script = script
    self.tell = tell
  }

  /// Opens the store, and migrates it if it is of the other version.
  func open(_ version: ShopVersion) throws {
    tell(.opening(version))
    let container = try PersistentContainer(
      name: "Shop",
      model: models[version],
      store: place.description(migrates: true)
    )
    tell(.opened(version))
    self.container = container
    contexts = (0..<2).map { _ in
      let context = container.newBackgroundContext(isolation: nil)
      context.mergePolicy = .mergeByPropertyObjectTrump
      return context
    }
    var reader = ShopReader(contexts[0], version)
    shop = try reader.read()
    guard reader.problems.isEmpty else {
      throw TrialFailure(reader.problems.joined(separator: "; "))
    }
  }

  /// Saves what the script says; one context saves what the other has not seen.
  func save() throws {
    guard var shop, !contexts.isEmpty else { return }
    let context = contexts[shop.step % contexts.count]
    let changes = script.advance(&shop)
    tell(.saving(step: shop.step))
    context.reset()
    context.transactionAuthor = "\(shop.step)"
    for change in changes { try context.apply(change, shop.version) }
    let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "Step"))
    let step = try all.first ?? context.insert(entityNamed: "Step")
    try step.setValue(Int64(shop.step), forKey: "number")
    try context.save()
    tell(.saved(step: shop.step))
    self.shop = shop
  }

  /// Deletes the history up to now.
  func tidy() throws {
    guard let context = contexts.first,
      let token = try container?.currentPersistentHistoryToken()
    else { return }
    tell(.tidying)
    try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: token))
    tell(.tidied)
  }

  /// Copies the store, in the place of an earlier copy.
  func backUp() throws {
    guard let coordinator = container?.persistentStoreCoordinator,
      let store = coordinator.persistentStores.first
    else { return }
    tell(.copying)
    try PersistentStoreCoordinator.destroyPersistentStore(
      at: place.copy.description(migrates: false)
    )
    try coordinator.backUp(store, to: place.copy.url)
    tell(.copied)
  }

  /// Puts the copy in the place of the store, which is closed.
  func replace() throws {
    tell(.replacing)
    try PersistentStoreCoordinator.replacePersistentStore(
      at: place.description(migrates: false),
      withPersistentStoreFrom: place.copy.description(migrates: false)
    )
    tell(.replaced)
  }

  /// Closes the store, which moves what the write-ahead log holds into the file.
  func close() {
    tell(.closing)
    contexts = []
    container = nil
    tell(.closed)
  }
}

extension ManagedObjectContext {
  /// The object of an entity that has a name or a number.
  fileprivate func one(_ entity: String, _ value: any Sendable) throws -> ManagedObject {
    let format = value is String ? "name == %@" : "number == %@"
    var request = FetchRequest<ManagedObject>(entityName: entity)
    request.predicate = try FetchPredicate(parsing: format, arguments: [value])
    let found = try fetch(request)
    guard let object = found.first, found.count == 1 else {
      throw TrialFailure("\(found.count) objects of '\(entity)' where \(value) is")
    }
    return object
  }

  private func make(_ entity: String, _ number: Int) throws -> ManagedObject {
    let object = try insert(entityNamed: entity)
    try object.setValue(Int64(number), forKey: "number")
    return object
  }

  /// Does what a change means.
  fileprivate func apply(_ change: ShopChange, _ version: ShopVersion) throws {
    switch change {
    case .putCustomer(let name, let note):
      let customer = try insert(entityNamed: "Customer")
      try customer.setValue(name, forKey: "name")
      try customer.setValue(note, forKey: version.noteName)
    case .setNote(let name, let note):
      try one("Customer", name).setValue(note, forKey: version.noteName)
    case .setRank(let name, let rank): try one("Customer", name).setValue(rank, forKey: "rank")
    case .deleteCustomer(let name): delete(try one("Customer", name))
    case .putTag(let name): try insert(entityNamed: "Tag").setValue(name, forKey: "name")
    case .deleteTag(let name): delete(try one("Tag", name))
    case .addTag(let tag, let name):
      try one("Customer", name).objects(forKey: "tags").insert(one("Tag", tag))
    case .removeTag(let tag, let name):
      try one("Tag", tag).objects(forKey: "customers").remove(one("Customer", name))
    case .putOrder(let number, let customer, let items, let photo):
      let order = try make("Order", number)
      try order.setObject(one("Customer", customer), forKey: "customer")
      for item in items { try order.objects(forKey: "items").insert(make("Item", item)) }
      try order.setValue(photo?.data, forKey: "photo")
    case .moveOrder(let number, let customer):
      let order = try one("Order", Int64(number))
      try one("Customer", customer).objects(forKey: "orders").insert(order)
    case .setPhoto(let number, let photo):
      try one("Order", Int64(number)).setValue(photo?.data, forKey: "photo")
    case .deleteOrder(let number): delete(try one("Order", Int64(number)))
    case .addItems(let items, let number):
      let list = try one("Order", Int64(number)).objects(forKey: "items")
      for item in items { try list.insert(make("Item", item)) }
    case .moveItem(let item, let number):
      let item = try one("Item", Int64(item))
      // Also within its own list.
      try item.setObject(nil, forKey: "order")
      try one("Order", Int64(number)).objects(forKey: "items").insert(item)
    case .reverseItems(let number):
      let list = try one("Order", Int64(number)).objects(forKey: "items")
      let items = Array(list)
      list.removeAll()
      for item in items.reversed() { list.insert(item) }
    case .deleteItem(let item): delete(try one("Item", Int64(item)))
    case .putBadge(let number, let owner):
      try make("Badge", number).setObject(one("Customer", owner), forKey: "owner")
    case .deleteBadge(let number): delete(try one("Badge", Int64(number)))
    }
  }
}
