// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

final class Author: ManagedObject, ManagedEntity {
  var email: String { get { _get(0) } set { _set(0, newValue) } }
  var name: String { get { _get(1) } set { _set(1, newValue) } }
  var commits: ToMany<Commit> { get { _get(0) } set { _set(0, newValue) } }
  override class var entity: EntityDescription {
    enum Storage { static let entity = EntityDescription(managing: Author.self, named: "Author", superclass: ManagedObject.self, properties: [.of("email", String.self), .of("name", String.self), .of("commits", ToMany<Commit>.self)]) }
    return Storage.entity }
}

final class Commit: ManagedObject, ManagedEntity {
  var date: Date { get { _get(0) } set { _set(0, newValue) } }
  var message: String { get { _get(1) } set { _set(1, newValue) } }
  var sha: String { get { _get(2) } set { _set(2, newValue) } }
  var url: String { get { _get(3) } set { _set(3, newValue) } }
  var author: Author? { get { _get(4) } set { _set(4, newValue) } }
  override class var entity: EntityDescription {
    enum Storage { static let entity = EntityDescription(managing: Commit.self, named: "Commit", superclass: ManagedObject.self, uniqueness: [["sha"]], properties: [.of("date", Date.self), .of("message", String.self), .of("sha", String.self), .of("url", String.self), .of("author", (Author?).self)]) }
    return Storage.entity }
  override class func propertyName(for k: AnyKeyPath) -> String? { k == \Commit.sha ? "sha" : nil }
}
