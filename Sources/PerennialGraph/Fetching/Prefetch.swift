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
  /// - Throws: `unknownName` (200003) for a name that is no relationship.
  func prefetches<Object>(
    of request: FetchRequest<Object>
  ) throws(PerennialError) -> [Prefetch] {
    guard !request.relationshipKeyPathsForPrefetching.isEmpty else { return [] }
    let entity = try store.model.entity(named: request.entityName)
    return try prefetches(request.relationshipKeyPathsForPrefetching, of: entity)
  }

  /// The relationships that key paths of an entity name.
  ///
  /// - Throws: As ``prefetches(of:)``.
  func prefetches(
    _ keyPaths: [String],
    of entity: EntityLayout
  ) throws(PerennialError) -> [Prefetch] {
    var prefetches: [Prefetch] = []
    for keyPath in keyPaths {
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
    for relationship in try relationships(step, of: entity) {
      let place =
        prefetches.firstIndex { $0.relationship === relationship } ?? prefetches.endIndex
      if place == prefetches.endIndex { prefetches.append(Prefetch(relationship: relationship)) }
      let destination = store.model.entities[relationship.destination]
      try add(steps.dropFirst(), of: destination, to: &prefetches[place].next)
    }
  }

  /// The relationship of an entity, or those of its subentities, that have a name.
  private func relationships(
    _ name: String,
    of entity: EntityLayout
  ) throws(PerennialError) -> [RelationshipLayout] {
    var found: [RelationshipLayout] = []
    for index in entity.family {
      if let relationship = store.model.entities[index].relationship(named: name),
        !found.contains(where: { $0.entity == relationship.entity })
      {
        found.append(relationship)
      }
    }
    return found.isEmpty ? [try entity.checkedRelationship(named: name)] : found
  }

  /// Loads relationships of objects: one query for all to-ones that lead to one root entity, and one for each
  /// to-many.
  func prefetch(
    _ prefetches: [Prefetch],
    for objects: [ManagedObject]
  ) throws(PerennialError) {
    // However many they are, none may go before what it leads to is loaded.
    let targets = try loadTargets(of: prefetches, for: objects)
    defer { withExtendedLifetime(targets) {} }
    for prefetch in prefetches {
      let relationship = prefetch.relationship
      switch relationship.place {
      case .slot(let slot):
        guard !prefetch.next.isEmpty else { continue }
        let targets = references(of: sources(of: relationship, among: objects), slot)
        try self.prefetch(prefetch.next, for: targets.map { object(for: $0) })
      case .toMany:
        let sources = sources(of: relationship, among: objects)
        let members = try prefetchMembers(of: sources, relationship, !prefetch.next.isEmpty)
        if !prefetch.next.isEmpty { try self.prefetch(prefetch.next, for: members) }
      }
    }
  }

  /// The objects that have a relationship, and a row to read it from.
  private func sources(
    of relationship: RelationshipLayout,
    among objects: [ManagedObject]
  ) -> [ManagedObject] {
    let family = store.model.entities[relationship.entity].family
    return objects.filter { object in
      guard let home = object._home, object._row != nil else { return false }
      return family.contains(home.pointee.layout.index)
    }
  }

  /// What a to-one slot of objects refers to, each once.
  private func references(of sources: [ManagedObject], _ slot: Int) -> [ObjectReference] {
    var seen: Set<Int64> = []
    return sources.map { $0._currentReference(slot) }
      .filter { $0.key != 0 && seen.insert($0.key).inserted }
  }

  /// Loads what the to-one relationships among some lead to, as far as it is not here.
  ///
  /// - Returns: The objects that got their rows.
  private func loadTargets(
    of prefetches: [Prefetch],
    for objects: [ManagedObject]
  ) throws(PerennialError) -> [ManagedObject] {
    var roots: [Int] = []
    var missing: [Int: Set<Int64>] = [:]
    for relationship in prefetches.map(\.relationship) {
      guard case .slot(let slot) = relationship.place else { continue }
      let home = homes[relationship.destination]
      let root = home.layout.root
      if missing[root] == nil { roots.append(root) }
      let sources = sources(of: relationship, among: objects)
      let keys = references(of: sources, slot).map(\.key).filter { key in
        let target = home.root.pointee.map.find(key)?.takeUnretainedValue()
        return target?._row == nil && (key > 0 || parent != nil)
      }
      missing[root, default: []].formUnion(keys)
    }
    var targets: [ManagedObject] = []
    for root in roots {
      guard let keys = missing[root], !keys.isEmpty else { continue }
      targets += try load(keys.sorted(), root: root, keeps: true)
    }
    return targets
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
    if faulting.lazyLoading == .raiseOnLazyLoad { notePrefetched(relationship, of: sources) }
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
