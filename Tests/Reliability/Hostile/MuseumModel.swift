// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// A model with every kind of property, for stores that are damaged.

enum Mood: String, Codable, Sendable {
  case calm, wild
}

struct Spot: Codable, Sendable, Hashable {
  var hall: String
  var row: Int
}

@Managed(indexes: ["weight", "name"]) class Exhibit: ManagedObject {
  @Unique var name: String
  var note: String?
  var small: Int16 = 0
  var middle: Int32 = 0
  @Indexed var large: Int = 0
  var weight: Double = 0
  var height: Float?
  var price: Decimal = 0
  var isShown: Bool = true
  var date: Date?
  @Attribute(external: true) var picture: Data?
  var identifier: UUID?
  var link: URL?
  var mood: Mood = .calm
  var spot: Spot?
  var tags: [String] = []
  @Attribute(derived: "canonical:(name)") var searchName: String
  var room: Room?
  var whole: Exhibit?
  @Relationship(inverse: \Exhibit.whole, deleteRule: .cascade) var parts: OrderedToMany<Exhibit>
  @Relationship(inverse: \Visitor.likes) var fans: ToMany<Visitor>
}

@Managed final class Statue: Exhibit {
  var material: String = "stone"
  @Relationship(inverse: \Room.guardian) var guards: Room?
}

@Managed final class Room: ManagedObject {
  @Indexed(.fullText) var title: String
  @Relationship(inverse: \Exhibit.room) var exhibits: ToMany<Exhibit>
  @Attribute(derived: "exhibits.@count") var count: Int
  var guardian: Statue?
}

@Managed final class Visitor: ManagedObject {
  var name: String?
  var likes: OrderedToMany<Exhibit>
}
