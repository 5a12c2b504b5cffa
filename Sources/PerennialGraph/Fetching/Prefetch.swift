// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// A relationship to load with the objects of a fetch, and those to load with its own.
struct Prefetch {
  let relationship: RelationshipLayout
  var next: [Prefetch] = []
}

extension ManagedObjectContext {
  /// The relationships that a request wants loaded, with what key paths share taken together.
  ///
  /// - Throws: `unknownName` (200,003) for a name that is no relationship.
  func prefetches<Object>(
    of request: FetchRequest<Object>
  ) throws(PerennialError) -> [Prefetch] {
    var prefetches: [Prefetch] = []
    guard !request.relationshipKeyPathsForPrefetching.isEmpty else { return [] }
    let entity = try store.model.entity(named: request.entityName)
    for keyPath in request.relationshipKeyPathsForPrefetching {
      let steps = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      try add(steps[...], of: entity, to: &prefetches)
    }
    return prefetches
  }

  private func add(
    _ steps: ArraySlice<String>,
    of entity: EntityLayout,
    to prefetches: inout [Prefetch]
  ) throws(PerennialError) {
    guard let step = steps.first else { return }
    let relationship = try relationship(step, of: entity)
    let place =
      prefetches.firstIndex { $0.relationship === relationship } ?? prefetches.endIndex
    if place == prefetches.endIndex { prefetches.append(Prefetch(relationship: relationship)) }
    let destination = store.model.entities[relationship.destination]
    try add(steps.dropFirst(), of: destination, to: &prefetches[place].next)
  }

  /// A relationship of an entity, or of one of its subentities.
  private func relationship(
    _ name: String,
    of entity: EntityLayout
  ) throws(PerennialError) -> RelationshipLayout {
    for index in entity.family {
      if let relationship = store.model.entities[index].relationship(named: name) {
        return relationship
      }
    }
    return try entity.checkedRelationship(named: name)
  }

  /// Loads relationships of objects: one query for each.
  func prefetch(
    _ prefetches: [Prefetch],
    for objects: [ManagedObject]
  ) throws(PerennialError) {
    for prefetch in prefetches {
      let relationship = prefetch.relationship
      let family = store.model.entities[relationship.entity].family
      let sources = objects.filter { object in
        guard let home = object._home, object._row != nil else { return false }
        return family.contains(home.pointee.layout.index)
      }
      let targets =
        switch relationship.place {
        case .slot(let slot): try prefetchTargets(of: sources, slot, relationship)
        case .toMany: try prefetchMembers(of: sources, relationship, !prefetch.next.isEmpty)
        }
      if !prefetch.next.isEmpty { try self.prefetch(prefetch.next, for: targets) }
    }
  }

  /// Loads what a to-one slot refers to.
  ///
  /// - Returns: The objects, each once.
  private func prefetchTargets(
    of sources: [ManagedObject],
    _ slot: Int,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> [ManagedObject] {
    let home = homes[relationship.destination]
    var seen: Set<Int64> = []
    var references: [ObjectReference] = []
    var missing: [Int64] = []
    for source in sources {
      let reference = source._currentReference(slot)
      guard reference.key != 0, seen.insert(reference.key).inserted else { continue }
      references.append(reference)
      let target = home.root.pointee.map.find(reference.key)?.takeUnretainedValue()
      if target?._row == nil, reference.key > 0 || parent != nil {
        missing.append(reference.key)
      }
    }
    if !missing.isEmpty { try load(missing, root: home.layout.root, keeps: true) }
    return references.map { object(for: $0) }
  }

  /// Loads what a to-many relationship leads to.
  ///
  /// - Returns: The objects, if they are wanted; else their rows wait until they are asked for.
  private func prefetchMembers(
    of sources: [ManagedObject],
    _ relationship: RelationshipLayout,
    _ wantsObjects: Bool
  ) throws(PerennialError) -> [ManagedObject] {
    relationships.batches.prepare(epoch: memberEpoch)
    let owners = sources.filter {
      isKnownAbove($0) && !hasLoadedMembers(of: $0, relationship)
    }
    if !owners.isEmpty, case .toMany(let number) = relationship.place {
      faulting.statistics.memberQueries += 1
      let keys = owners.map(\._key)
      let rows = try store.fetchMembers(of: relationship, owners: keys, limit: 0)
      faulting.statistics.rows += rows.pages.reduce(0) { $0 + $1.count }
      relationships.batches.append(
        MemberBatch(relationship, toMany: number, owners: keys, rows)
      )
    }
    guard wantsObjects else { return [] }
    var members: [ManagedObject] = []
    var seen: Set<ObjectIdentifier> = []
    for source in sources {
      for member in try self.members(of: source, relationship)
      where seen.insert(ObjectIdentifier(member)).inserted {
        members.append(member)
      }
    }
    keep(members.suffix(FaultingState.keptCount).filter(\.isAlive))
    return members
  }
}
