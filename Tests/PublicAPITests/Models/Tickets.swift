// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// Every kind of property that `@Managed` knows.

enum Priority: Int, Codable, Sendable {
  case low, normal, high
}

enum Label: String, Codable, Sendable {
  case bug, feature
}

struct Place: Codable, Sendable, Hashable {
  var file: String
  var line: Int
}

@Managed(unique: ["repository", "number"], indexes: ["state", "date"])
final class Ticket: ManagedObject {
  var repository: String
  var number: Int
  @Attribute(renamedFrom: "status") var state: String = "open"
  var date: Date
  var priority: Priority = .normal
  var label: Label?
  var place: Place?
  var tags: [String] = []
  @Transient var isSelected: Bool = false
  var key: String { "\(repository)#\(number)" }
}

@Managed final class Album: ManagedObject {
  var title: String
  var tracks: OrderedToMany<Track>
}

@Managed final class Track: ManagedObject {
  var title: String
  var album: Album?
}

@Managed(isAbstract: true) class Animal: ManagedObject {
  @Indexed var name: String
}

@Managed class Dog: Animal {
  var isGood: Bool = true
}

@Managed final class Puppy: Dog {
  var weeks: Int = 0
}

@Managed final class Department: ManagedObject {
  var name: String
  @Relationship(deleteRule: .deny) var members: ToMany<Member>
}

@Managed final class Member: ManagedObject {
  var name: String
  @Relationship(inverse: \Department.members, optional: false) var department: Department?
}
