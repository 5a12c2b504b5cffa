// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel

/// Copies everything that a store of an old model keeps into an empty store of a new one, row by row.
///
/// These are rows with their keys and versions, pairs, orders and the application's metadata. What the new
/// model adds gets default values; derived attributes are computed. Objects of removed entities stay behind, as
/// does history. The target, which nobody else knows, gets its rows in several saves if it has an engine; any
/// other store in a single one.
package struct RowMigration {
  private let source: any RowStore
  private let target: any RowStore
  private let mapping: ModelMapping
  private var new: ModelLayout { mapping.destination }

  /// A migration.
  ///
  /// - Parameters:
  ///   - source: A store of the mapping's source.
  ///   - target: An empty store of its destination.
  ///   - mapping: What becomes of what.
  package init(from source: any RowStore, to target: any RowStore, _ mapping: ModelMapping) {
    self.source = source
    self.target = target
    self.mapping = mapping
  }

  /// Copies all; after a failure the target is of no use any more.
  ///
  /// - Parameter monitor: What stops it between two pages.
  /// - Throws: `migrationConstraintViolation` (134111), `migrationCancelled` (134120), `migration` (134110)
  ///   for objects of an entity that is abstract now, `inferredMappingModel` (134190) for trees that would
  ///   become one, `persistentStoreSave` when the target is not empty, or what a store throws.
  package func run(_ monitor: MigrationMonitor) throws(PerennialError) {
    do throws(PerennialError) {
      try check()
      try copy(monitor)
    } catch {
      // A fetch that was interrupted says so in its own words.
      try monitor.check()
      throw error
    }
  }

  private func check() throws(PerennialError) {
    for root in new.entities where root.superentity == nil {
      if mapping.sourceRoots(ofRoot: root.index).count > 1 { throw .mergedHierarchies(root) }
      guard try target.count(StoreQuery(entity: root.index, limit: 1)) == 0 else {
        throw PerennialError(
          .persistentStoreSave,
          "The store that is migrated to is not empty.",
          recovery: "name a store that does not exist",
          entity: root.name
        )
      }
    }
    guard !mapping.keepsAbstractObjects else { return }
    for entity in mapping.entities {
      let layout = new.entities[entity.destination]
      guard layout.description.isAbstract else { continue }
      let count = try source.count(Self.query(entity.source))
      if count > 0 { throw .cannotBeAbstract(layout, count: count) }
    }
  }

  /// All rows of one concrete entity.
  static func query(_ entity: Int) -> StoreQuery {
    var query = StoreQuery(entity: entity)
    query.includesSubentities = false
    return query
  }

  // MARK: Copying

  private func copy(_ monitor: MigrationMonitor) throws(PerennialError) {
    try reserveKeys()
    let derivations = MigratedDerivations(mapping)
    let sink = RowSink(target)
    do throws(SaveFailure) {
      for entity in mapping.entities {
        try copyRows(derivations.converter(of: entity, mapping), entity, to: sink, monitor)
      }
      try addRest(derivations, to: sink, monitor)
      try sink.save()
    } catch {
      throw try translated(error, derivations)
    }
    try copyMetadata()
  }

  private func copyRows(
    _ converter: RowConverter,
    _ entity: EntityMapping,
    to sink: RowSink,
    _ monitor: MigrationMonitor
  ) throws(SaveFailure) {
    var failure: SaveFailure?
    var query = Self.query(entity.source)
    query.cancellation = monitor.cancellation
    do throws(PerennialError) {
      try source.fetchRows(query) { page in
        guard failure == nil else { return }
        do throws(SaveFailure) {
          try sink.append(page, converter)
        } catch {
          failure = error
        }
      }
      if failure == nil { try monitor.check() }
    } catch {
      throw .failed(error)
    }
    if let failure { throw failure }
    sink.end(entity.destination)
  }

  /// Adds what is written with the last rows: pairs, orders, and what is computed of other objects.
  private func addRest(
    _ derivations: MigratedDerivations,
    to sink: RowSink,
    _ monitor: MigrationMonitor
  ) throws(SaveFailure) {
    let relationships = RelationshipMigration(source: source, mapping: mapping, monitor: monitor)
    do throws(PerennialError) {
      for link in new.links {
        let pairs = try relationships.pairs(of: link)
        if !pairs.isEmpty {
          sink.changes.links.append(.init(link: link.index, added: pairs, removed: []))
        }
      }
      for entity in new.entities {
        for relationship in entity.toManys
        where relationship.isOrdered && relationship.entity == entity.index {
          sink.changes.orders += try relationships.orders(of: relationship)
        }
      }
      sink.changes.derivations = try derivations.planned(from: source)
      try monitor.check()
    } catch {
      throw .failed(error)
    }
  }

  /// Sets the keys of the rows aside: a store that has rows gives keys after theirs.
  private func reserveKeys() throws(PerennialError) {
    var greatest: [Int: Int64] = [:]
    for root in mapping.source.entities where root.superentity == nil {
      greatest[root.index] = try source.fetchReferences(StoreQuery(entity: root.index))
        .lazy.map(\.key).max()
    }
    for root in new.entities where root.superentity == nil {
      let keys = mapping.sourceRoots(ofRoot: root.index).compactMap { greatest[$0] }
      guard let last = keys.max() else { continue }
      _ = try target.reserveKeys(root: root.index, count: Int(last))
    }
  }

  private func copyMetadata() throws(PerennialError) {
    guard let source = source as? any DescribedStore, let target = target as? any DescribedStore
    else { return }
    var metadata = try target.storeMetadata()
    metadata.values = try source.storeMetadata().values
    if !metadata.values.isEmpty { try target.setStoreMetadata(metadata) }
  }

  // MARK: Failures

  private func translated(
    _ failure: SaveFailure,
    _ derivations: MigratedDerivations
  ) throws(PerennialError) -> PerennialError {
    switch failure {
    case .failed(let error):
      // Some stores say so when rows of one save are in conflict.
      guard error.code == .managedObjectConstraintMerge else { return error }
      return try violation(derivations) ?? error
    case .conflicts:
      return try violation(derivations)
        ?? PerennialError(
          .persistentStoreSave,
          "Somebody else has written to the store that is migrated to.",
          recovery: "migrate when nobody has the store open"
        )
    }
  }

  /// The first constraint of the new model that objects violate; `nil` when there is none.
  private func violation(
    _ derivations: MigratedDerivations
  ) throws(PerennialError) -> PerennialError? {
    for entity in new.entities {
      for (number, slots) in entity.constraints.enumerated()
      where entity.constraintOwners[number] == entity.index {
        let count = try count(ofSharing: slots, entity, derivations)
        guard count > 0 else { continue }
        let names = slots.map { entity.slots[$0].name }
        return .migrationConstraintViolation(entity, names, count: count)
      }
    }
    return nil
  }

  /// How many objects of an entity share their values in some slots with others.
  private func count(
    ofSharing slots: [Int],
    _ owner: EntityLayout,
    _ derivations: MigratedDerivations
  ) throws(PerennialError) -> Int {
    var counts: [[UInt8]: Int] = [:]
    for entity in mapping.entities where owner.family.contains(entity.destination) {
      try derivations.forEachRow(of: entity, in: source) { row in
        let value = SlotKeyHash.bytes(row, slots, of: owner)
        if let value { counts[value, default: 0] += 1 }
      }
    }
    return counts.values.filter { $0 > 1 }.reduce(0, +)
  }
}
