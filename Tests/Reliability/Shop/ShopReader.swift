// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Reads all of a store, and sees whether it agrees with itself.
struct ShopReader {
  private let context: ManagedObjectContext
  private let version: ShopVersion
  /// What should not be, whatever the store contains.
  private(set) var problems: [String] = []

  init(_ context: ManagedObjectContext, _ version: ShopVersion) {
    self.context = context
    self.version = version
  }

  mutating func read() throws -> Shop {
    var shop = Shop(version: version)
    let steps = try all("Step")
    if steps.count > 1 { problems.append("\(steps.count) steps") }
    shop.step = try steps.first.map { try number($0) } ?? 0
    let tags = try all("Tag")
    shop.tags = Set(try tags.map(name))
    if shop.tags.count != tags.count { problems.append("a tag's name is not unique") }
    try readCustomers(&shop)
    try readOrders(&shop)
    if version == .new {
      for badge in try all("Badge") {
        let owner = try badge.object(forKey: "owner")
        shop.badges[try number(badge)] = Shop.Badge(owner: try owner.map(name))
        expect(try owner?.objects(forKey: "badges").contains(badge) ?? true, "badges of an owner")
      }
    }
    try checkTags(tags, shop)
    try readHistory(&shop)
    return shop
  }

  private mutating func readCustomers(_ shop: inout Shop) throws {
    let customers = try all("Customer")
    for object in customers {
      var customer = Shop.Customer()
      customer.note = try object.value(forKey: version.noteName) as? String
      customer.tags = Set(try object.objects(forKey: "tags").map(name))
      if version == .new {
        customer.rank = (try object.value(forKey: "rank") as? Int64).map(Int.init)
      }
      shop.customers[try name(object)] = customer
      let orders = try object.objects(forKey: "orders")
      for order in orders {
        expect(try order.object(forKey: "customer") === object, "an order of a customer")
      }
      let count = try object.value(forKey: "orderCount") as? Int64 ?? 0
      expect(Int(count) == orders.count, "the number of a customer's orders")
      if version == .new {
        for badge in try object.objects(forKey: "badges") {
          expect(try badge.object(forKey: "owner") === object, "a badge of a customer")
        }
      }
    }
    if shop.customers.count != customers.count {
      problems.append("a customer's name is not unique")
    }
  }

  private mutating func readOrders(_ shop: inout Shop) throws {
    var orderedItems = 0
    for object in try all("Order") {
      var order = Shop.Order()
      let customer = try object.object(forKey: "customer")
      order.customer = try customer.map(name)
      expect(
        try customer?.objects(forKey: "orders").contains(object) ?? true,
        "an order's customer"
      )
      for item in try object.objects(forKey: "items") {
        order.items.append(try number(item))
        expect(try item.object(forKey: "order") === object, "an item of an order")
      }
      orderedItems += order.items.count
      if let data = try object.value(forKey: "photo") as? Data {
        order.photo = Photo(data)
        expect(order.photo != nil, "a photo of \(data.count) bytes")
      }
      if let error = context.lastFaultError { throw error }
      shop.orders[try number(object)] = order
    }
    // None without an order: whoever takes one out of its order deletes it.
    expect(try all("Item").count == orderedItems, "the number of items")
  }

  /// What tags say of customers must be what customers say of tags.
  private mutating func checkTags(_ tags: [ManagedObject], _ shop: Shop) throws {
    for tag in tags {
      let name = try name(tag)
      let customers = Set(try tag.objects(forKey: "customers").map(self.name))
      expect(
        customers == Set(shop.customers.filter { $0.value.tags.contains(name) }.keys),
        "the customers of a tag"
      )
    }
  }

  /// The history has a transaction for each save from some one on, up to the last one.
  private mutating func readHistory(_ shop: inout Shop) throws {
    let request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    let authors = try context.execute(request).transactions.map { $0.author ?? "nobody" }
    shop.historyStart = shop.step - authors.count + 1
    expect(
      authors == (0..<authors.count).map { "\(shop.historyStart + $0)" },
      "the history: \(authors)"
    )
  }

  private func all(_ entity: String) throws -> [ManagedObject] {
    try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
  }

  private func name(_ object: ManagedObject) throws -> String {
    try object.value(forKey: "name") as? String ?? "nameless"
  }

  private func number(_ object: ManagedObject) throws -> Int {
    Int(try object.value(forKey: "number") as? Int64 ?? -1)
  }

  private mutating func expect(_ isTrue: Bool, _ what: String) {
    if !isTrue { problems.append("wrong: \(what)") }
  }
}

/// What makes a trial end.
struct TrialFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
