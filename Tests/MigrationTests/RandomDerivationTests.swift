// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import RandomTesting
import Testing

/// Random changes of models in which as much as possible is derived: what SQL leaves as it was must be what a store
/// that computes all has.
@Suite("Random migrations of derived attributes")
struct RandomDerivationTests {
  private static let seeds = PropertyRuns.seeds(usually: 30, from: 705_934_500)

  /// A model with something derived of every relationship.
  private func deriving(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
    let layout = model.layout
    return try ManagedObjectModel(
      entities: layout.entities.map { entity in
        var description = entity.description
        for property in entity.description.properties {
          guard case .relationship(let declared) = property,
            let relationship = entity.relationship(named: declared.name),
            relationship.inverse != nil
          else { continue }
          description.properties += derived(of: relationship, layout)
        }
        return description
      }
    )
  }

  /// The count and maxima of a to-many relationship; copies by way of a to-one relationship.
  private func derived(
    of relationship: RelationshipLayout,
    _ model: ModelLayout
  ) -> [PropertyDescription] {
    let name = relationship.name
    var derived: [PropertyDescription] = []
    if relationship.isToMany {
      derived.append(
        .attribute("\(name)Count", .int64, optional: true, derived: "\(name).@count")
      )
    }
    for slot in model.entities[relationship.destination].slots {
      guard let attribute = slot.attribute, !slot.isTransient, !slot.name.contains("."),
        attribute.derivationExpression == nil, !attribute.allowsExternalBinaryDataStorage
      else { continue }
      let type = attribute.type
      let path = relationship.isToMany ? "\(name).@max.\(slot.name)" : "\(name).\(slot.name)"
      guard !relationship.isToMany || [.int16, .int32, .int64].contains(type) else { continue }
      derived.append(
        .attribute("\(name)_\(slot.name)", type, optional: true, derived: path)
      )
    }
    return derived
  }

  @Test(arguments: seeds) func `what is derived is the same whichever way a store is migrated`(
    seed: UInt64
  ) throws {
    let world = RandomWorld(seed: seed)
    let plain = try ManagedObjectModel(entities: world.entities)
    var random = SeededGenerator(seed: seed &+ 1)
    let steps = (0..<Int.random(in: 1...8, using: &random)).map { _ in random.next() }
    guard let changed = RandomChangeTests().changed(world, steps, from: plain).1 else { return }
    let (old, new) = (try deriving(plain), try deriving(changed))
    let source = InMemoryStore(model: plain.layout)
    try source.insert(world.stored)
    let target = InMemoryStore(model: old.layout)
    try RowMigration(from: source, to: target, MigrationPlan(from: plain, to: old).mapping)
      .run(MigrationMonitor(nil, stepCount: 1))
    let objects = try target.objects()
    let expected = try StoreKind.memory.migrate(objects, from: old, to: new)
    let found = try StoreKind.sqlite.migrate(objects, from: old, to: new)
    #expect(
      found == expected,
      "PERENNIAL_PROPERTY_SEED=\(seed)\n\(MigrationPlan(from: old, to: new))"
    )
  }
}
