// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import RandomTesting

/// What the next save of a shop does, which a seed and the shop determine.
struct ShopScript {
  let seed: UInt64
  /// Some saves write so much that the write-ahead log is moved into the file; `nil` for none.
  let rounds: Rounds?

  /// Of so many saves the first ones are light, and the others heavy.
  struct Rounds {
    var count: Int
    var lightCount: Int
  }

  private static let customerNames = (0..<8).map { "customer \($0)" }
  private static let tagNames = (0..<5).map { "tag \($0)" }
  private static let orderLimit = 10
  private static let itemLimit = 24

  /// Takes the next step of a shop.
  ///
  /// - Returns: The changes, of which at least one is one.
  func advance(_ shop: inout Shop) -> [ShopChange] {
    shop.step += 1
    var random = SeededGenerator(seed: seed &+ UInt64(shop.step) &* 0x9E37_79B9)
    var changes: [ShopChange] = []
    /// Names that this save has dealt with: only others may meet a stored one.
    var touched: Set<String> = []
    let count = Int.random(in: 1...6, using: &random)
    while changes.count < count {
      let number = shop.step * 100 + changes.count * 10
      guard let change = change(number, shop, &touched, &random) else { continue }
      shop.apply(change)
      changes.append(change)
    }
    if let rounds, shop.step % rounds.count >= rounds.lightCount {
      for order in shop.orders.keys.sorted().prefix(8) {
        let change = ShopChange.setPhoto(order, Photo(number: shop.step, byteCount: 120_000))
        shop.apply(change)
        changes.append(change)
      }
    }
    return changes
  }

  private func change(
    _ number: Int,
    _ shop: Shop,
    _ touched: inout Set<String>,
    _ random: inout SeededGenerator
  ) -> ShopChange? {
    let kind = Int.random(in: 0..<18, using: &random)
    let customer = shop.customers.keys.sorted().randomElement(using: &random)
    let order = shop.orders.keys.sorted().randomElement(using: &random)
    let tag = shop.tags.sorted().randomElement(using: &random)
    let item = shop.orders.values.flatMap(\.items).sorted().randomElement(using: &random)
    let items = shop.orders.values.reduce(0) { $0 + $1.items.count }
    let count = Int.random(in: 0...3, using: &random)
    let photo = photo(number, &random)
    switch (kind, customer, order, tag) {
    case (0...1, _, _, _):
      guard let name = Self.customerNames.randomElement(using: &random),
        touched.insert(name).inserted
      else { return nil }
      return .putCustomer(name, note: "note \(number)")
    case (2, let name?, _, _):
      touched.insert(name)
      return .setNote(name, count == 0 ? nil : "note \(number)")
    case (3, let name?, _, _):
      touched.insert(name)
      return .deleteCustomer(name)
    case (4, _, _, _):
      guard let name = Self.tagNames.randomElement(using: &random), touched.insert(name).inserted
      else { return nil }
      return .putTag(name)
    case (5, _, _, let tag?):
      touched.insert(tag)
      return count == 0 ? .deleteTag(tag) : nil
    case (6, let name?, _, let tag?):
      touched.formUnion([name, tag])
      return .addTag(tag, to: name)
    case (7, let name?, _, let tag?):
      touched.formUnion([name, tag])
      return .removeTag(tag, from: name)
    case (8...9, let name?, _, _) where shop.orders.count < Self.orderLimit:
      touched.insert(name)
      let numbers = items < Self.itemLimit ? (0..<count).map { number + $0 } : []
      return .putOrder(number, customer: name, items: numbers, photo: photo)
    case (10, let name?, let order?, _):
      touched.insert(name)
      return .moveOrder(order, to: name)
    case (11, _, let order?, _): return .setPhoto(order, photo)
    case (12, _, let order?, _): return .deleteOrder(order)
    case (13, _, let order?, _) where items < Self.itemLimit:
      return .addItems((0...count).map { number + $0 }, to: order)
    case (14, _, let order?, _):
      if let item { return .moveItem(item, to: order) }
    case (15, _, let order?, _): return .reverseItems(order)
    case (16, _, _, _):
      if let item { return .deleteItem(item) }
    case (17, let name?, _, _) where shop.version == .new:
      touched.insert(name)
      if count == 0 { return .setRank(name, number) }
      if shop.badges.count < 6 { return .putBadge(number, owner: name) }
      return shop.badges.keys.min().map { .deleteBadge($0) }
    default: break
    }
    return nil
  }

  /// Mostly none; some lie in the row, some in a file of their own.
  private func photo(_ number: Int, _ random: inout SeededGenerator) -> Photo? {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...1: Photo(number: number, byteCount: 700)
    case 2: Photo(number: number, byteCount: 9_000)
    case 3: Photo(number: number, byteCount: 131_200)
    default: nil
    }
  }
}
