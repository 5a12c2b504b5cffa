// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel

/// A row of every type that values are fetched of, as a plain value.
struct Sale {
  var small: Int64
  var big: Int64?
  var flag: Bool?
  var amount: Double?
  var price: Decimal?
  var day: Date?
  var name: String?
  var tag: UUID?
  /// The place of the seller.
  var seller: Int?
  /// Whether it is of the subentity.
  var isRefund: Bool

  static let names = ["a", "B", "b", "e\u{301}", "\u{e9}", "", "fix"]
  static let sellers = ["Ann", "Bob", nil]

  static func random(_ generator: inout some RandomNumberGenerator) -> Sale {
    func maybe<Value>(_ value: Value) -> Value? {
      Int.random(in: 0..<5, using: &generator) == 0 ? nil : value
    }
    let cents = Int.random(in: -300...300, using: &generator)
    return Sale(
      small: .random(in: -3...3, using: &generator),
      big: maybe([1 << 40, -(1 << 41), 7, 0].randomElement(using: &generator) ?? 0),
      flag: maybe(.random(using: &generator)),
      amount: maybe([0.1, 0.2, -1e10, 1e-3, 3].randomElement(using: &generator) ?? 0),
      price: maybe(Decimal(cents) / 100),
      day: maybe(Date(timeIntervalSinceReferenceDate: .random(in: 0..<4, using: &generator))),
      name: maybe(names.randomElement(using: &generator) ?? ""),
      tag: maybe(
        UUID(
          uuid: (
            UInt8.random(in: 0..<3, using: &generator), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
          )
        )
      ),
      seller: maybe(.random(in: sellers.indices, using: &generator)),
      isRefund: .random(using: &generator)
    )
  }
}

/// A store of sales and their sellers.
struct SaleStore {
  let bench: Bench
  let sellerIDs: [ManagedObjectID]
  let saleIDs: [ManagedObjectID]

  static func makeModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Sale",
        properties: [
          .attribute("small", .int16), .attribute("big", .int64, optional: true),
          .attribute("flag", .bool, optional: true), .attribute("amount", .double, optional: true),
          .attribute("price", .decimal, optional: true), .attribute("day", .date, optional: true),
          .attribute("name", .string, optional: true), .attribute("tag", .uuid, optional: true),
          .toOne("seller", "Seller", inverse: "sales"),
        ]
      ),
      EntityDescription("Refund", parent: "Sale", properties: []),
      EntityDescription(
        "Seller",
        properties: [
          .attribute("name", .string, optional: true),
          .toMany("sales", "Sale", inverse: "seller", deleteRule: .nullify),
        ]
      )
    )
  }

  init(_ kind: StoreKind, _ sales: [Sale]) throws {
    bench = try Bench(kind, model: Self.makeModel(), classes: [])
    let context = bench.context()
    var sellers: [ManagedObject] = []
    for name in Sale.sellers {
      let seller = try context.insert(entityNamed: "Seller")
      try seller.setValue(name, forKey: "name")
      sellers.append(seller)
    }
    var objects: [ManagedObject] = []
    for sale in sales {
      let object = try context.insert(entityNamed: sale.isRefund ? "Refund" : "Sale")
      try object.setValue(sale.small, forKey: "small")
      try object.setValue(sale.big, forKey: "big")
      try object.setValue(sale.flag, forKey: "flag")
      try object.setValue(sale.amount, forKey: "amount")
      try object.setValue(sale.price, forKey: "price")
      try object.setValue(sale.day, forKey: "day")
      try object.setValue(sale.name, forKey: "name")
      try object.setValue(sale.tag, forKey: "tag")
      try object.setObject(sale.seller.map { sellers[$0] }, forKey: "seller")
      objects.append(object)
    }
    try context.save()
    sellerIDs = sellers.map(\.objectID)
    saleIDs = objects.map(\.objectID)
  }

  var sales: FetchRequest<ManagedObject> { FetchRequest(entityName: "Sale") }

  /// Sales in the order of the keys that they were saved with, each with its key.
  func keyed(_ sales: [(place: Int, sale: Sale)]) -> [(sale: Sale, key: Int64)] {
    sales.map { ($0.sale, saleIDs[$0.place].key) }.sorted { $0.key < $1.key }
  }
}

/// A value that texts are told apart in by their bytes; absent for `nil`.
func comparable(_ value: (any Sendable)?) -> AnyHashable? {
  if let text = value as? String { return Array(text.utf8) }
  return value as? AnyHashable
}

/// Rows of values with texts as bytes.
func comparable(_ rows: [[String: any Sendable]]) -> [[String: AnyHashable]] {
  rows.map { $0.compactMapValues { comparable($0) } }
}
