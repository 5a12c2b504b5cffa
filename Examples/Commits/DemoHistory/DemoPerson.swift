// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Somebody who commits; the name or the address may be missing.
struct DemoPerson: Hashable {
  let name: String
  let email: String

  /// How git writes a person; an empty name leaves only the address.
  var identity: String { name.isEmpty ? "<\(email)>" : "\(name) <\(email)>" }

  /// The people of the history: 231 different names, some of them awkward on purpose.
  static let all: [DemoPerson] = {
    let plain = firstNames.flatMap { first in lastNames.map { "\(first) \($0)" } }
    let names = awkwardNames + plain.dropLast(awkwardNames.count)
    return names.enumerated().map { index, name in
      DemoPerson(name: name, email: "author\(index)@example.org")
    }
  }()

  static let nameless = DemoPerson(name: "", email: "nobody@example.org")
  static let addressless = DemoPerson(name: "No Address", email: "")

  private static let awkwardNames = [
    #"Dana "Dee" O'Neil"#, "100%@ Sure", #"back\slash"#, "Ada 🚀 Byrne", "李小龍", "Zoë Ångström",
  ]
  private static let firstNames = [
    "Amara", "Björn", "Chloé", "Dmitri", "Elif", "Farid", "Grace", "Hana", "Inês", "Jakub",
    "Kwame", "Linnea", "Mateo", "Nadia", "Oskar", "Priya", "Quentin", "Rosa", "Søren", "Tuan",
    "Yuki",
  ]
  private static let lastNames = [
    "Abara", "Brandt", "Costa", "Dvořák", "Eriksen", "Fontaine", "Gupta", "Haddad", "Ito",
    "Jansen", "Kowalski",
  ]
}
