// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Testing

/// A person whose name and birthday history keeps.
final class Person: ManagedObject, ManagedEntity {
  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var born: Date? {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var notes: String? {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var height: Double? {
    get { _get(3) }
    set { _set(3, newValue) }
  }
  var home: House? {
    get { _get(4) }
    set { _set(4, newValue) }
  }
  var clubs: ToMany<Club> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Person.self,
        named: "Person",
        superclass: ManagedObject.self,
        uniqueness: [["name"]],
        properties: [
          .of("name", String.self, preservesValueOnDeletion: true),
          .of("born", (Date?).self, preservesValueOnDeletion: true),
          .of("notes", (String?).self),
          .of("height", (Double?).self),
          .of("home", (House?).self),
          .of("clubs", ToMany<Club>.self),
        ]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { 5 }
  override class var toManyCount: Int { 1 }
  override class func propertyName(for keyPath: AnyKeyPath) -> String? {
    let names: [(AnyKeyPath, String)] = [
      (\Person.name, "name"), (\Person.born, "born"), (\Person.notes, "notes"),
      (\Person.home, "home"), (\Person.clubs, "clubs"),
    ]
    return names.first { $0.0 == keyPath }?.1
  }
}

/// A house counts its people, and takes them along when it goes.
final class House: ManagedObject, ManagedEntity {
  var street: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var size: Int { _get(1) }
  var people: ToMany<Person> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: House.self,
        named: "House",
        superclass: ManagedObject.self,
        properties: [
          .of("street", String.self, default: ""),
          .of("size", Int.self, default: 0, derived: "people.@count"),
          .of("people", ToMany<Person>.self, deleteRule: .cascade),
        ]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { 2 }
  override class var toManyCount: Int { 1 }
}

/// A club keeps its members in order.
final class Club: ManagedObject, ManagedEntity {
  var title: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var members: OrderedToMany<Person> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Club.self,
        named: "Club",
        superclass: ManagedObject.self,
        properties: [
          .of("title", String.self, default: ""),
          .of("members", OrderedToMany<Person>.self),
        ]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { 1 }
  override class var toManyCount: Int { 1 }
}

let historyClasses: [ManagedObject.Type] = [Person.self, House.self, Club.self]

func historyModel() throws -> ManagedObjectModel {
  try ManagedObjectModel(entities: historyClasses.map { $0.entity })
}

extension Bench {
  /// A bench whose store keeps history.
  static func history(_ kind: StoreKind, keepsOldValues: Bool = false) throws -> Bench {
    try Bench(
      kind,
      model: historyModel(),
      classes: historyClasses,
      history: HistoryOptions(isOn: true, keepsOldValues: keepsOldValues)
    )
  }

  /// Everything that is stored, without IDs.
  func historyWords() throws -> [String] {
    let context = self.context()
    let people = try context.fetch(Person.all).map { person in
      let clubs = person.clubs.map(\.title).sorted()
      let born = person.born?.timeIntervalSinceReferenceDate ?? -1
      return "\(person.name) \(born) \(person.notes ?? "-") \(person.home?.street ?? "-") \(clubs)"
    }
    let houses = try context.fetch(House.all).map { "\($0.street) \($0.size)" }
    let clubs = try context.fetch(Club.all).map { club in
      "\(club.title) \(club.members.map(\.name))"
    }
    return (people + houses + clubs).sorted()
  }
}

extension Person {
  /// A new person, saved with all other changes.
  static func stored(_ name: String, in context: ManagedObjectContext) throws -> Person {
    let person = Person(context: context)
    person.name = name
    try context.save()
    return person
  }
}

extension House {
  /// A new house for each street.
  static func make(_ streets: String..., in context: ManagedObjectContext) -> [House] {
    streets.map { street in
      let house = House(context: context)
      house.street = street
      return house
    }
  }
}

extension Club {
  static func make(_ title: String, in context: ManagedObjectContext) -> Club {
    let club = Club(context: context)
    club.title = title
    return club
  }
}

extension ManagedObjectContext {
  /// The transactions after a token.
  func history(
    after token: PersistentHistoryToken? = nil
  ) throws -> [PersistentHistoryTransaction] {
    try execute(PersistentHistoryChangeRequest.fetchHistory(after: token)).transactions
  }
}

/// A change in words, without what differs between stores.
func words(_ change: PersistentHistoryChange) -> String {
  let names = change.updatedProperties.sorted().joined(separator: ",")
  let tombstone = change.tombstone.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  return (["\(change.changeType) \(change.changedObjectID)", names] + tombstone)
    .filter { !$0.isEmpty }.joined(separator: " ")
}
