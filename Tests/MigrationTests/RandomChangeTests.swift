// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import RandomTesting
import Testing

/// Random models, objects and changes that are inferred, against what a dictionary makes of them.
@Suite("Random migrations")
struct RandomChangeTests {
  /// The gate has the same seeds always; `make property` looks for others.
  private static let seeds = PropertyRuns.seeds(usually: 60, from: 705_933_500)

  /// What is wrong after some steps; `nil` when all is well.
  private func problem(
    _ world: RandomWorld,
    _ steps: [UInt64],
    _ kind: StoreKind
  ) throws -> String? {
    let old = try ManagedObjectModel(entities: world.entities)
    let (changed, new) = changed(world, steps, from: old)
    guard let new else { return nil }
    let expected = changed.stored.map(\.line).sorted()
    let result: [String]
    do {
      result = try kind.migrate(world.stored, from: old, to: new)
    } catch {
      return "\(error)\n\(MigrationPlan(from: old, to: new))"
    }
    guard result != expected else { return nil }
    let lost = Set(expected).subtracting(result).sorted().joined(separator: "\n  ")
    let found = Set(result).subtracting(expected).sorted().joined(separator: "\n  ")
    let before = world.stored.map(\.line).sorted().joined(separator: "\n  ")
    let plan = MigrationPlan(from: old, to: new)
    return "\(plan)\nbefore:\n  \(before)\nexpected:\n  \(lost)\nfound:\n  \(found)"
  }

  /// The world after the steps that can be taken, and are inferred together with those before.
  func changed(
    _ world: RandomWorld,
    _ steps: [UInt64],
    from old: ManagedObjectModel
  ) -> (RandomWorld, ManagedObjectModel?) {
    var current: (RandomWorld, ManagedObjectModel?) = (world, nil)
    for step in steps {
      guard let next = current.0.taking(step),
        let new = try? ManagedObjectModel(entities: next.entities),
        // No relationship back is inferred that the world does not know.
        next.hasAllInverses(of: new), MigrationPlan(from: old, to: new).isInferable
      else { continue }
      current = (next, new)
    }
    return current
  }

  @Test(arguments: seeds) func `what is made of random objects is what a dictionary makes`(
    seed: UInt64
  ) throws {
    let world = RandomWorld(seed: seed)
    var random = SeededGenerator(seed: seed &+ 1)
    let count = Int.random(in: 1...12, using: &random)
    let steps = (0..<count).map { _ in random.next() }
    let kinds: [StoreKind] = seed % 4 == 0 ? StoreKind.allCases : [.memory]
    for kind in kinds where try problem(world, steps, kind) != nil {
      let fewer = PropertyRuns.shrink(steps) { (try? problem(world, $0, kind)) != .some(nil) }
      Issue.record(
        "PERENNIAL_PROPERTY_SEED=\(seed), \(kind): \(try problem(world, fewer, kind) ?? "")"
      )
    }
  }

  @Test func `steps of every kind are taken`() throws {
    var kinds: Set<MigrationChange.Kind> = []
    for seed in 0..<UInt64(80) {
      let world = RandomWorld(seed: seed)
      let old = try ManagedObjectModel(entities: world.entities)
      var random = SeededGenerator(seed: seed &+ 1)
      let steps = (0..<12).map { _ in random.next() }
      guard let new = changed(world, steps, from: old).1 else { continue }
      kinds.formUnion(MigrationPlan(from: old, to: new).changes.map(\.kind))
    }
    let expected: Set<MigrationChange.Kind> = [
      .entityAdded, .entityRemoved, .entityRenamed, .parentChanged, .attributeAdded,
      .attributeRemoved, .attributeRenamed, .typeChanged, .relationshipAdded, .relationshipRemoved,
      .relationshipRenamed, .cardinalityChanged, .orderChanged, .inverseChanged,
      .optionalityChanged, .propertyMoved,
    ]
    #expect(kinds.isSuperset(of: expected), "\(expected.subtracting(kinds))")
  }
}

extension RandomWorld {
  /// Whether a model has the same relationships back as the world.
  fileprivate func hasAllInverses(of model: ManagedObjectModel) -> Bool {
    let inverses = model.entitiesByName
    return relationships.allSatisfy { place in
      let properties = inverses[entities[place.entity].name]?.properties ?? []
      return properties.contains { property in
        if case .relationship(let relationship) = property {
          relationship.name == place.relationship.name
            && relationship.inverse == place.relationship.inverse
        } else {
          false
        }
      }
    }
  }
}
