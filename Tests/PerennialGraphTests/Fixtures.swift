// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore

// Managed classes written by hand, as `@Managed` would write them: the library works without macros.

final class Commit: ManagedObject, ManagedEntity {
  var sha: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var message: String {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var url: String {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var date: Date {
    get { _get(3) }
    set { _set(3, newValue) }
  }
  var author: Author? {
    get { _get(4) }
    set { _set(4, newValue) }
  }
  var kind: Kind {
    get { _get(5) }
    set { _set(5, newValue) }
  }
  var size: Double? {
    get { _get(6) }
    set { _set(6, newValue) }
  }
  var place: Place? {
    get { _get(7) }
    set { _set(7, newValue) }
  }
  var scratch: Int {
    get { _get(8) }
    set { _set(8, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Commit.self,
        named: "Commit",
        superclass: ManagedObject.self,
        uniqueness: [["sha"]],
        indexes: [["date"]],
        properties: [
          .of("sha", String.self),
          .of("message", String.self, default: ""),
          .of("url", String.self, default: ""),
          .of("date", Date.self, default: Date(timeIntervalSinceReferenceDate: 0)),
          .of("author", (Author?).self),
          .of("kind", Kind.self, default: .normal),
          .of("size", (Double?).self),
          .of("place", (Place?).self),
          .of("scratch", Int.self, default: 0, isTransient: true),
        ]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { 9 }
  override class func propertyName(for keyPath: AnyKeyPath) -> String? {
    let names: [(AnyKeyPath, String)] = [
      (\Commit.sha, "sha"), (\Commit.message, "message"), (\Commit.date, "date"),
      (\Commit.author, "author"), (\Commit.size, "size"),
    ]
    return names.first { $0.0 == keyPath }?.1
  }
}

enum Kind: String {
  case normal
  case merge
}

struct Place: Codable, Sendable, Equatable {
  var file: String
  var line: Int
}

final class Author: ManagedObject, ManagedEntity {
  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var email: String {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var commits: ToMany<Commit> {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var teams: ToMany<Team> {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Author.self,
        named: "Author",
        superclass: ManagedObject.self,
        indexes: [["name"]],
        properties: [
          .of("name", String.self), .of("email", String.self, default: ""),
          .of("commits", ToMany<Commit>.self, deleteRule: .cascade),
          .of("teams", ToMany<Team>.self),
        ]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { 2 }
  override class var toManyCount: Int { 2 }
  override class func propertyName(for keyPath: AnyKeyPath) -> String? {
    keyPath == \Author.name ? "name" : nil
  }
}

final class Team: ManagedObject, ManagedEntity {
  var title: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var badge: Badge? {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var members: OrderedToMany<Author> {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var allies: ToMany<Team> {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Team.self,
        named: "Team",
        superclass: ManagedObject.self,
        properties: [
          .of("title", String.self, default: ""), .of("badge", (Badge?).self),
          .of("members", OrderedToMany<Author>.self, deleteRule: .deny),
          .of("allies", ToMany<Team>.self, inverse: "allies"),
        ]
      )
    }
    return Storage.entity
  }
}

/// One-to-one with Team, and the root of an inheritance tree.
class Badge: ManagedObject, ManagedEntity {
  var text: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var team: Team? {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Badge.self,
        named: "Badge",
        superclass: ManagedObject.self,
        properties: [.of("text", String.self, default: ""), .of("team", (Team?).self)]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { 2 }
}

final class GoldBadge: Badge {
  var carats: Int {
    get { _get(Badge.slotCount + 0) }
    set { _set(Badge.slotCount + 0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: GoldBadge.self,
        named: "GoldBadge",
        superclass: Badge.self,
        properties: [.of("carats", Int.self, default: 18)]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { Badge.slotCount + 1 }
}

/// The classes above.
let fixtureClasses: [ManagedObject.Type] = [
  Commit.self, Author.self, Team.self, Badge.self, GoldBadge.self,
]

func makeModel() throws -> ManagedObjectModel {
  try ManagedObjectModel(entities: fixtureClasses.map { $0.entity })
}
