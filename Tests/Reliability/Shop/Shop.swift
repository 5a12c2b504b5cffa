// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// What a store must contain: a small shop as plain values.
///
/// It has its own idea of delete rules, inverses and unique values, so that it can tell whether the
/// library's is right. What follows from it is left out: an order's customer says which orders a customer
/// has, and a list of items which order an item is of.
struct Shop: Equatable {
  struct Customer: Equatable {
    var note: String?
    var tags: Set<String> = []
    /// In the new version only.
    var rank: Int?
  }

  struct Order: Equatable {
    var customer: String?
    var items: [Int] = []
    var photo: Photo?
  }

  /// In the new version only.
  struct Badge: Equatable {
    var owner: String?
  }

  /// The version of the model.
  var version: ShopVersion
  /// How many saves have made it.
  var step = 0
  /// The first of them that the history has.
  var historyStart = 1
  var customers: [String: Customer] = [:]
  var orders: [Int: Order] = [:]
  var tags: Set<String> = []
  var badges: [Int: Badge] = [:]

  /// What it is without the history before the last save.
  var tidied: Shop {
    var shop = self
    shop.historyStart = max(1, step)
    return shop
  }

  /// What a migration makes of it.
  func migrated(to version: ShopVersion) -> Shop {
    guard version != self.version else { return self }
    var shop = self
    shop.version = version
    shop.badges = [:]
    for name in customers.keys {
      shop.customers[name]?.rank = version == .new ? ShopVersion.usualRank : nil
    }
    return shop
  }
}

/// A picture of an order, which a number and a size determine.
struct Photo: Equatable {
  var number: Int
  var byteCount: Int

  /// Its bytes: wherever one looks, they tell which picture it is.
  var data: Data {
    let text = Array("photo \(number) of \(byteCount);".utf8)
    let unit = Data(text)
    var data = Data(capacity: byteCount + unit.count)
    while data.count < byteCount {
      data.append(data.isEmpty ? unit : data.prefix(max(unit.count, byteCount - data.count)))
    }
    return data.prefix(byteCount)
  }

  init(number: Int, byteCount: Int) {
    self.number = number
    self.byteCount = byteCount
  }

  /// The picture that bytes are of; `nil` when they are not wholly of one.
  init?(_ data: Data) {
    let text = String(decoding: data.prefix(while: { $0 != UInt8(ascii: ";") }), as: UTF8.self)
    let words = text.split(separator: " ")
    guard words.count == 4, let number = Int(words[1]), words[3] == "\(data.count)" else {
      return nil
    }
    self.init(number: number, byteCount: data.count)
    if self.data != data { return nil }
  }
}
