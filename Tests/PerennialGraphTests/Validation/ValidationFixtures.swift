// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel

/// An object with a rule of every kind.
final class Entry: ManagedObject, ManagedEntity {
  var rating: Int {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var price: Decimal? {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var weight: Double? {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var date: Date? {
    get { _get(3) }
    set { _set(3, newValue) }
  }
  var code: String? {
    get { _get(4) }
    set { _set(4, newValue) }
  }
  var photo: Data? {
    get { _get(5) }
    set { _set(5, newValue) }
  }
  var word: String? {
    get { _get(6) }
    set { _set(6, newValue) }
  }
  var link: URL? {
    get { _get(7) }
    set { _set(7, newValue) }
  }
  var parent: Entry? {
    get { _get(8) }
    set { _set(8, newValue) }
  }
  var note: Int {
    get { _get(9) }
    set { _set(9, newValue) }
  }
  var children: ToMany<Entry> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let day = Date(timeIntervalSinceReferenceDate: 86_400)
      static let entity = EntityDescription(
        managing: Entry.self,
        named: "Entry",
        superclass: ManagedObject.self,
        properties: [
          .of("rating", Int.self, default: 1, minimum: 1, maximum: 5),
          .of("price", (Decimal?).self, minimum: 0, maximum: 100),
          .of("weight", (Double?).self, minimum: 0.5, maximum: 9.5),
          .of("date", (Date?).self, minimum: day, maximum: day + 3600),
          .of(
            "code",
            (String?).self,
            minimumLength: 2,
            maximumLength: 6,
            pattern: "[a-z]+"
          ),
          .of("photo", (Data?).self, minimumLength: 1, maximumLength: 3),
          .of(
            "word",
            (String?).self,
            validation: [ValidationPredicate("SELF != 'root'", message: "Choose another word.")]
          ),
          .of("link", (URL?).self),
          .relationship(
            RelationshipDescription(
              "parent",
              to: "Entry",
              inverse: "children",
              validation: ["SELF.rating > 1"]
            )
          ),
          .of("note", Int.self, default: 0, isTransient: true, maximum: 9),
          .relationship(
            RelationshipDescription(
              "children",
              to: "Entry",
              inverse: "parent",
              isToMany: true,
              validation: ["SELF.@count < 3"]
            )
          ),
        ]
      )
    }
    return Storage.entity
  }
}

/// An object whose class checks more than its model.
final class Guarded: ManagedObject, ManagedEntity {
  struct Refusal: Error, Equatable {
    var place: String
  }

  var title: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var count: Int {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Guarded.self,
        named: "Guarded",
        superclass: ManagedObject.self,
        properties: [
          .of("title", String.self, maximumLength: 8), .of("count", Int.self, default: 0),
        ]
      )
    }
    return Storage.entity
  }

  override func validateForInsert() throws {
    try super.validateForInsert()
    if title == "no insert" || title == "noinsert" { throw Refusal(place: "insert") }
  }

  override func validateForUpdate() throws {
    try super.validateForUpdate()
    if title == "noupdate" { throw Refusal(place: "update") }
    if title == "timeout" { throw PerennialError(.persistentStoreTimeout, "No store answers.") }
    if title == "endless" { count += 1 }
    if title == "once" { count = 7 }
  }

  override func validateForDelete() throws {
    try super.validateForDelete()
    if title == "nodelete" { throw Refusal(place: "delete") }
  }
}
