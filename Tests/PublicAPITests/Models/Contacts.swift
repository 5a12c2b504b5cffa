// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// An address, whose elements are columns of its owner.
@Composite struct Address: Equatable {
  /// What it is for.
  enum Kind: String, Codable { case home, work }

  var city: String?
  @Attribute(maximumLength: 5) var zip: String?
  var kind: Kind = .home
  var floor: Int = 0
  var spot: Spot?
  var notes: [String] = []

  /// Computed properties stay what they are.
  var line: String { [zip, city].compactMap(\.self).joined(separator: " ") }
}

/// A place on the map: an element that is composite itself.
@Composite struct Spot: Equatable {
  var x: Double
  var y: Double
}

/// Somebody with addresses; the attributes around them keep their places.
@Managed(indexes: ["address.city", "name"]) class Contact: ManagedObject {
  var name: String
  var address: Address?
  var born: Date?
  var office: Address = Address(city: "Ulm", kind: .work)
  var friend: Contact?
  @Relationship(inverse: \Contact.friend) var friends: ToMany<Contact>
  var age: Int = 0
}

/// A subentity, whose attributes lie behind all elements.
@Managed final class Firm: Contact {
  var employees: Int
  var branch: Address?
  var motto: String?
}
