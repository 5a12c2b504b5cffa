// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

/// The versions of the shop's model, between which stores are migrated to and fro.
enum ShopVersion: Int, CaseIterable {
  case old = 1
  case new

  /// The rank of a customer that nobody has set.
  static let usualRank = 5

  /// The other one.
  var other: ShopVersion { self == .old ? .new : .old }

  /// The name of a customer's note, which the new version calls something else.
  var noteName: String { self == .old ? "note" : "remark" }

  /// The model.
  ///
  /// - Returns: A model with every kind of relationship and delete rule that the trials look at.
  /// - Throws: `PerennialError` when the library does not take it.
  func model() throws -> ManagedObjectModel {
    let note = AttributeDescription(
      noteName,
      .string,
      isOptional: true,
      renamingIdentifier: "note"
    )
    let photo = AttributeDescription(
      "photo",
      .binaryData,
      isOptional: true,
      allowsExternalBinaryDataStorage: true
    )
    let isNew = self == .new
    let customer = EntityDescription(
      "Customer",
      uniqueness: [["name"]],
      properties: [
        .attribute("name", .string), .attribute(note),
        .attribute("orderCount", .int64, optional: true, derived: "orders.@count"),
        .toMany("orders", "Order", inverse: "customer", deleteRule: .cascade),
        .toMany("tags", "Tag", inverse: "customers"),
      ]
        + (isNew
          ? [
            .attribute("rank", .int64, default: Int64(Self.usualRank)),
            .toMany("badges", "Badge", inverse: "owner"),
          ] : [])
    )
    let order = EntityDescription(
      "Order",
      indexes: isNew ? [["number"]] : [],
      properties: [
        .attribute("number", .int64), .attribute(photo),
        .toOne("customer", "Customer", inverse: "orders"),
        .toMany("items", "Item", inverse: "order", deleteRule: .cascade, ordered: true),
      ]
    )
    let item = EntityDescription(
      "Item",
      properties: [.attribute("number", .int64), .toOne("order", "Order", inverse: "items")]
    )
    let tag = EntityDescription(
      "Tag",
      uniqueness: [["name"]],
      properties: [.attribute("name", .string), .toMany("customers", "Customer", inverse: "tags")]
    )
    let badge = EntityDescription(
      "Badge",
      properties: [.attribute("number", .int64), .toOne("owner", "Customer", inverse: "badges")]
    )
    let step = EntityDescription("Step", properties: [.attribute("number", .int64)])
    return try ManagedObjectModel(
      entities: [customer, order, item, tag, step] + (isNew ? [badge] : [])
    )
  }
}

/// Both models.
struct ShopModels {
  private let old: ManagedObjectModel
  private let new: ManagedObjectModel

  init() throws {
    old = try ShopVersion.old.model()
    new = try ShopVersion.new.model()
  }

  subscript(version: ShopVersion) -> ManagedObjectModel { version == .old ? old : new }

  /// Which version a store was written with.
  func version(of metadata: PersistentStoreMetadata) -> ShopVersion? {
    ShopVersion.allCases.first {
      metadata.modelVersionHashes == self[$0].entityVersionHashesByName
    }
  }
}
