// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension EntityDescription {
  /// Changes the description of an attribute.
  ///
  /// ```swift
  /// entity.changeAttribute("photo") { $0.versionHashModifier = "2" }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The attribute's name. If the entity does not have it, the program ends with a message that says
  ///     so.
  ///   - change: A closure that changes the description.
  public mutating func changeAttribute(
    _ name: String,
    _ change: (inout AttributeDescription) -> Void
  ) {
    for index in properties.indices {
      guard case .attribute(var attribute) = properties[index], attribute.name == name else {
        continue
      }
      change(&attribute)
      properties[index] = .attribute(attribute)
      return
    }
    preconditionFailure("'\(self.name)' has no attribute named '\(name)'.")
  }

  /// Changes the description of a relationship.
  ///
  /// ```swift
  /// entity.changeRelationship("author") { $0.userInfo = ["label": "Author"] }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The relationship's name. If the entity does not have it, the program ends with a message that
  ///     says so.
  ///   - change: A closure that changes the description.
  public mutating func changeRelationship(
    _ name: String,
    _ change: (inout RelationshipDescription) -> Void
  ) {
    for index in properties.indices {
      guard case .relationship(var relationship) = properties[index], relationship.name == name
      else { continue }
      change(&relationship)
      properties[index] = .relationship(relationship)
      return
    }
    preconditionFailure("'\(self.name)' has no relationship named '\(name)'.")
  }
}
