// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// How one derived attribute of an entity is computed.
package struct Derivation: Sendable {
  package enum Formula: Sendable {
    /// Another attribute of the object.
    case copy(slot: Int, TextTransform?)
    /// An attribute of the object that to-one relationships lead to.
    case path(PathFormula)
    /// Something of the objects of a to-many relationship.
    case collection(CollectionFormula)
    /// The time of the save.
    case now
  }

  package let slot: Int
  package let type: AttributeType
  package let formula: Formula

  package init(slot: Int, type: AttributeType, formula: Formula) {
    self.slot = slot
    self.type = type
    self.formula = formula
  }
}

/// What is computed of the objects of a to-many relationship.
package struct CollectionFormula: Sendable {
  package let relationship: RelationshipLayout
  package let operation: CollectionOperator
  /// The objects' attribute; `nil` for their number.
  package let member: Int?
  /// The same as an expression of the owner.
  package let expression: ExpressionNode
}

/// A copy of an attribute of another object.
package struct PathFormula: Sendable {
  /// The to-one relationships that lead to it, each with an inverse; at least one.
  package let steps: [RelationshipLayout]
  /// The attribute's slot in the entity that the last one leads to.
  package let member: Int
  package let transform: TextTransform?
  /// The attribute as an expression of the owner.
  package let expression: ExpressionNode

  /// The slot of the first relationship.
  package var slot: Int { steps[0].slot }
}
