// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

extension ChangeSet {
  /// A derived attribute that the store computes anew, after everything else has been written.
  ///
  /// It is computed from what is stored then, in the same transaction. No version is expected and
  /// none is raised. Owners that do not exist are left out.
  package struct Derivation: Sendable {
    /// What the attribute is computed of.
    package enum Source: Sendable {
      /// Of the objects of a to-many relationship: of the values in a slot, or of their number.
      case members(RelationshipLayout, CollectionOperator, member: Int?)
      /// A copy of a slot of the object at the end of to-one relationships.
      case path([RelationshipLayout], member: Int, TextTransform?)
    }

    /// Whether it is computed of the objects of a to-many relationship.
    package var isOfMembers: Bool {
      if case .members = source { true } else { false }
    }

    /// The entity that declares the attribute, and its slot.
    package let entity: Int
    package let slot: Int
    package let source: Source
    /// The same as an expression of the owner, but for what is done with a text.
    package let expression: ExpressionNode
    /// The keys of the rows to compute it for.
    package var owners: [Int64] = []
    /// Of a path: the keys of changed rows at the end of each of its relationships.
    ///
    /// Whatever leads to them when the store writes is computed too, also rows that nobody knew of
    /// when the set was made.
    package var targets: [[Int64]] = []
    /// The keys of the rows that are known to lead to targets.
    package var reached: [Int64] = []

    package init(entity: Int, slot: Int, source: Source, expression: ExpressionNode) {
      self.entity = entity
      self.slot = slot
      self.source = source
      self.expression = expression
    }

    /// Whether there is nothing to compute.
    package var isEmpty: Bool { owners.isEmpty && !hasTargets }

    /// Whether rows that nobody knows of may be computed.
    package var hasTargets: Bool { targets.contains { !$0.isEmpty } }
  }
}
