// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel

/// An owner whose attributes are derived from its books.
final class Writer: ManagedObject, ManagedEntity {
  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var folded: String { _get(1) }
  var upper: String? { _get(2) }
  var lower: String? { _get(3) }
  var copy: String? { _get(4) }
  var bookCount: Int {
    get { _get(5) }
    set { _set(5, newValue) }
  }
  var pages: Int { _get(6) }
  var longest: Int? { _get(7) }
  var shortest: Int? { _get(8) }
  var average: Double? { _get(9) }
  var prizeCount: Int { _get(10) }
  var changed: Date? { _get(11) }
  var books: ToMany<Book> {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var prizes: ToMany<Prize> {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Writer.self,
        named: "Writer",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: "Éa"),
          .of("folded", String.self, derived: "canonical:(name)"),
          .of("upper", (String?).self, derived: "uppercase:(name)"),
          .of("lower", (String?).self, derived: "lowercase:(name)"),
          .of("copy", (String?).self, derived: "name"),
          .of("bookCount", Int.self, derived: "books.@count"),
          .of("pages", Int.self, derived: "books.pages.@sum"),
          .of("longest", (Int?).self, derived: "books.@max.pages"),
          .of("shortest", (Int?).self, derived: "books.pages.@min"),
          .of("average", (Double?).self, derived: "books.pages.@avg"),
          .of("prizeCount", Int.self, derived: "prizes.@count"),
          .of("changed", (Date?).self, derived: "now()"),
          .of("books", ToMany<Book>.self, inverse: "writer", deleteRule: .cascade),
          .of("prizes", ToMany<Prize>.self, inverse: "winners"),
        ]
      )
    }
    return Storage.entity
  }
}

final class Book: ManagedObject, ManagedEntity {
  var pages: Int {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var writer: Writer? {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Book.self,
        named: "Book",
        superclass: ManagedObject.self,
        properties: [
          .of("pages", Int.self, default: 0), .of("writer", (Writer?).self, inverse: "books"),
        ]
      )
    }
    return Storage.entity
  }
}

final class Prize: ManagedObject, ManagedEntity {
  var winners: ToMany<Writer> {
    get { _get(0) }
    set { _set(0, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Prize.self,
        named: "Prize",
        superclass: ManagedObject.self,
        properties: [.of("winners", ToMany<Writer>.self, inverse: "prizes")]
      )
    }
    return Storage.entity
  }
}

/// A store of the classes above.
func writersBench(_ kind: StoreKind) throws -> Bench {
  try Bench(
    kind,
    model: ManagedObjectModel(Writer.entity, Book.entity, Prize.entity),
    classes: [Writer.self, Book.self, Prize.self]
  )
}
