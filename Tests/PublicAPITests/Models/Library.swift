// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// A model with an attribute of every kind, for conditions on them.

enum Genre: String, Codable, Sendable {
  case novel, essay
}

enum Grade: Int, Codable, Sendable, Comparable {
  case poor, good, excellent

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

@Managed final class Book: ManagedObject {
  var title: String
  var subtitle: String?
  var pages: Int
  var edition: Int?
  var price: Double
  var discount: Double?
  var cost: Decimal?
  var isLent: Bool
  var isSigned: Bool?
  var published: Date
  var returned: Date?
  var code: UUID?
  var link: URL?
  var cover: Data?
  var genre: Genre = .novel
  var grade: Grade?
  var place: Place?
  var tags: [String] = []
  var writer: Writer?
  var shelf: Shelf?
  var readers: ToMany<Reader>

  /// Not stored: no fetch can ask for it.
  var spine: String { "\(title) \(pages)" }
}

@Managed final class Writer: ManagedObject {
  var name: String
  var age: Int?
  @Relationship(inverse: "pupils") var mentor: Writer?
  var pupils: ToMany<Writer>
  var books: ToMany<Book>
}

@Managed final class Shelf: ManagedObject {
  var room: String
  var books: OrderedToMany<Book>
}

@Managed final class Reader: ManagedObject {
  var name: String
  var books: ToMany<Book>
}
