// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One thing that a save does.
enum ShopChange {
  /// A new customer; if there is one of that name, it becomes that one, with the new note.
  case putCustomer(String, note: String)
  case setNote(String, String?)
  case setRank(String, Int)
  case deleteCustomer(String)
  case putTag(String)
  case deleteTag(String)
  case addTag(String, to: String)
  case removeTag(String, from: String)
  case putOrder(Int, customer: String, items: [Int], photo: Photo?)
  case moveOrder(Int, to: String)
  case setPhoto(Int, Photo?)
  case deleteOrder(Int)
  /// New items behind the others of an order.
  case addItems([Int], to: Int)
  /// An item goes to the end of the list of an order, its own or another.
  case moveItem(Int, to: Int)
  case reverseItems(Int)
  case deleteItem(Int)
  case putBadge(Int, owner: String)
  case deleteBadge(Int)
}

extension Shop {
  /// Does what a change means.
  mutating func apply(_ change: ShopChange) {
    switch change {
    case .putCustomer(let name, let note):
      let usual = Customer(rank: version == .new ? ShopVersion.usualRank : nil)
      customers[name, default: usual].note = note
    case .setNote(let name, let note): customers[name]?.note = note
    case .setRank(let name, let rank): customers[name]?.rank = rank
    case .deleteCustomer(let name):
      customers[name] = nil
      for (number, order) in orders where order.customer == name { orders[number] = nil }
      for (number, badge) in badges where badge.owner == name { badges[number]?.owner = nil }
    case .putTag(let name): tags.insert(name)
    case .deleteTag(let name):
      tags.remove(name)
      for customer in customers.keys { customers[customer]?.tags.remove(name) }
    case .addTag(let tag, let name): customers[name]?.tags.insert(tag)
    case .removeTag(let tag, let name): customers[name]?.tags.remove(tag)
    case .putOrder(let number, let customer, let items, let photo):
      orders[number] = Order(customer: customer, items: items, photo: photo)
    case .moveOrder(let number, let customer): orders[number]?.customer = customer
    case .setPhoto(let number, let photo): orders[number]?.photo = photo
    case .deleteOrder(let number): orders[number] = nil
    case .addItems(let items, let number): orders[number]?.items += items
    case .moveItem(let item, let number):
      remove(item)
      orders[number]?.items.append(item)
    case .reverseItems(let number): orders[number]?.items.reverse()
    case .deleteItem(let item): remove(item)
    case .putBadge(let number, let owner): badges[number] = Badge(owner: owner)
    case .deleteBadge(let number): badges[number] = nil
    }
  }

  private mutating func remove(_ item: Int) {
    for number in orders.keys { orders[number]?.items.removeAll { $0 == item } }
  }
}
