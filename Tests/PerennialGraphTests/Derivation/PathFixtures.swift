// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel

/// A shelf with a label, in rooms with names, owned by one person each.
///
/// `Label` copies from its shelf, from the shelf's room, and from the person of the room.
final class Room: ManagedObject, ManagedEntity {
  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var keeper: Keeper? {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var shelves: ToMany<Shelf> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Room.self,
        named: "Room",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""),
          .of("keeper", (Keeper?).self, inverse: "room"),
          .of("shelves", ToMany<Shelf>.self, inverse: "room"),
        ]
      )
    }
    return Storage.entity
  }
}

final class Keeper: ManagedObject, ManagedEntity {
  var rank: Int {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var room: Room? {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var roomName: String? { _get(2) }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Keeper.self,
        named: "Keeper",
        superclass: ManagedObject.self,
        properties: [
          .of("rank", Int.self, default: 0),
          .of("room", (Room?).self, inverse: "keeper"),
          .of("roomName", (String?).self, derived: "room.name"),
        ]
      )
    }
    return Storage.entity
  }
}

final class Shelf: ManagedObject, ManagedEntity {
  var title: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var room: Room? {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var labels: ToMany<Label> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Shelf.self,
        named: "Shelf",
        superclass: ManagedObject.self,
        properties: [
          .of("title", String.self, default: ""),
          .of("room", (Room?).self, inverse: "shelves"),
          .of("labels", ToMany<Label>.self, inverse: "shelf"),
        ]
      )
    }
    return Storage.entity
  }
}

class Label: ManagedObject, ManagedEntity {
  final var text: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  final var shelf: Shelf? {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  final var title: String? { _get(2) }
  final var folded: String? { _get(3) }
  final var upper: String? { _get(4) }
  final var lower: String? { _get(5) }
  final var room: String? { _get(6) }
  final var rank: Int? { _get(7) }

  /// All derived values, for comparisons.
  final var copies: [String] {
    [title, folded, upper, lower, room, rank.map { "\($0)" }].map { $0 ?? "nil" }
  }

  /// What `copies` must be.
  final var expectedCopies: [String] {
    let title = shelf?.title
    let folded = title?.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    let rank = shelf?.room?.keeper?.rank
    return [
      title, folded, title?.uppercased(), title?.lowercased(), shelf?.room?.name,
      rank.map { "\($0)" },
    ].map { $0 ?? "nil" }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Label.self,
        named: "Label",
        superclass: ManagedObject.self,
        properties: [
          .of("text", String.self, default: ""),
          .of("shelf", (Shelf?).self, inverse: "labels"),
          .of("title", (String?).self, derived: "shelf.title"),
          .of("folded", (String?).self, derived: "canonical:(shelf.title)"),
          .of("upper", (String?).self, derived: "uppercase:(shelf.title)"),
          .of("lower", (String?).self, derived: "lowercase:(shelf.title)"),
          .of("roomName", (String?).self, derived: "shelf.room.name"),
          .of("rank", (Int?).self, derived: "shelf.room.keeper.rank"),
        ]
      )
    }
    return Storage.entity
  }
}

/// A label that inherits its derivations.
final class GoldLabel: Label {
  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: GoldLabel.self,
        named: "GoldLabel",
        superclass: Label.self,
        properties: []
      )
    }
    return Storage.entity
  }
}

/// A store of the classes above.
func roomsBench(_ kind: StoreKind) throws -> Bench {
  try Bench(
    kind,
    model: ManagedObjectModel(
      Room.entity,
      Keeper.entity,
      Shelf.entity,
      Label.entity,
      GoldLabel.entity
    ),
    classes: [Room.self, Keeper.self, Shelf.self, Label.self, GoldLabel.self]
  )
}
