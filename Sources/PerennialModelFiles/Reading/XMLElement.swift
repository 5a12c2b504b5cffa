// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// An element of an XML file with everything inside it; text between elements is left out.
struct XMLElement: Sendable {
  let name: String
  let attributes: [String: String]
  /// Where it begins, counted from 1.
  let line: Int
  var children: [XMLElement] = []

  /// The elements inside it that have a name.
  func children(named name: String) -> [XMLElement] { children.filter { $0.name == name } }
}
