// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore

/// Makes one object of each group of objects, in a store of the old model.
final class DuplicateRemover {
  private let context: ManagedObjectContext
  private let owner: UUID
  private let mapping: ModelMapping
  private let keeping: Deduplication.Keeping
  private var inheritances: [[Int]: Inheritance] = [:]

  /// How many groups are saved at once, and how many objects are asked for.
  private static let batchSize = 200

  init(
    _ coordinator: StoreCoordinator,
    _ mapping: ModelMapping,
    keeping: Deduplication.Keeping
  ) {
    context = ManagedObjectContext(coordinator: coordinator)
    owner = coordinator.store.identifier
    self.mapping = mapping
    self.keeping = keeping
  }

  /// Lets one object of every group stay.
  ///
  /// - Parameter groups: The objects, each group in its order.
  /// - Returns: How many objects are gone.
  /// - Throws: The store's error, or a rule of the old model that what remains breaks.
  func run(_ groups: [[ObjectReference]]) throws(PerennialError) -> Int {
    var heirs: [ManagedObjectID: ManagedObjectID] = [:]
    for group in groups {
      let kept = keeping == .last ? group.count - 1 : 0
      for (place, reference) in group.enumerated() where place != kept {
        heirs[id(reference)] = id(group[kept])
      }
    }
    try redirect(to: heirs)
    for batch in groups.batches(of: Self.batchSize) { try merge(batch, heirs) }
    return heirs.count
  }

  private func id(_ reference: ObjectReference) -> ManagedObjectID {
    mapping.source.objectID(of: reference, owner: owner)
  }

  private func objects(
    _ ids: [ManagedObjectID]
  ) throws(PerennialError) -> [ManagedObjectID: ManagedObject] {
    var objects: [ManagedObjectID: ManagedObject] = [:]
    for (name, ids) in Dictionary(grouping: ids, by: \.entityName) {
      var request = FetchRequest<ManagedObject>(entityName: name)
      request.predicate = try FetchPredicate(parsing: "SELF IN %@", arguments: [ids])
      for object in try context.fetch(request) { objects[object.objectID] = object }
    }
    return objects
  }

  // MARK: Relationships without a way back

  /// Leads relationships without a way back to the objects that stay.
  private func redirect(
    to heirs: [ManagedObjectID: ManagedObjectID]
  ) throws(PerennialError) {
    let model = mapping.source
    let entities = Set(heirs.keys.compactMap { model.entitiesByName[$0.entityName] })
    let all = heirs.keys.sorted { $0.key < $1.key }
    for entity in model.entities {
      for relationship in entity.slots.compactMap(\.relationship) + entity.toManys
      where relationship.entity == entity.index && relationship.inverse == nil
        && !entities.isDisjoint(with: model.entities[relationship.destination].family)
      {
        for batch in all.batches(of: Self.batchSize) {
          try redirect(relationship, entity.name, Array(batch), heirs)
        }
      }
    }
  }

  private func redirect(
    _ relationship: RelationshipLayout,
    _ entity: String,
    _ ids: [ManagedObjectID],
    _ heirs: [ManagedObjectID: ManagedObjectID]
  ) throws(PerennialError) {
    var request = FetchRequest<ManagedObject>(entityName: entity)
    request.predicate = try FetchPredicate(
      parsing: relationship.isToMany ? "ANY %K IN %@" : "%K IN %@",
      arguments: [relationship.name, ids]
    )
    let owners = try context.fetch(request)
    guard !owners.isEmpty else { return }
    let found = try objects(ids + Set(ids.compactMap { heirs[$0] }))
    var heirsOfObjects: [ManagedObject: ManagedObject] = [:]
    for id in ids {
      if let object = found[id], let heir = heirs[id] { heirsOfObjects[object] = found[heir] }
    }
    for owner in owners {
      if case .toMany(let number) = relationship.place {
        owner._replaceMembers(heirsOfObjects, in: number)
      } else if let target = try owner.object(forKey: relationship.name) {
        try owner.setObject(heirsOfObjects[target], forKey: relationship.name)
      }
    }
    try context.save()
    context.reset()
  }

  // MARK: Groups

  private func merge(
    _ groups: ArraySlice<[ObjectReference]>,
    _ heirs: [ManagedObjectID: ManagedObjectID]
  ) throws(PerennialError) {
    let ids = groups.joined().map(id)
    let objects = try objects(ids)
    var pairs: [(object: ManagedObject, kept: ManagedObject)] = []
    for id in ids {
      // One that is gone has gone with another, as a delete rule wants it.
      guard let object = objects[id], let kept = heirs[id].flatMap({ objects[$0] }) else {
        continue
      }
      pairs.append((object, kept))
    }
    try takePlaces(pairs)
    for (object, kept) in pairs {
      try merge(object, into: kept)
      context.delete(object)
    }
    try context.save()
    context.reset()
  }

  private func inheritance(
    from object: ManagedObject,
    to kept: ManagedObject
  ) throws(PerennialError) -> Inheritance {
    let from = try mapping.source.entity(named: object.objectID.entityName)
    let to = try mapping.source.entity(named: kept.objectID.entityName)
    let key = [from.index, to.index]
    if let known = inheritances[key] { return known }
    let made = Inheritance(from: from, to: to, mapping)
    inheritances[key] = made
    return made
  }

  /// Gives the duplicates' places in ordered relationships to the objects that stay, all at once: each such change
  /// reads a whole list.
  private func takePlaces(
    _ pairs: [(object: ManagedObject, kept: ManagedObject)]
  ) throws(PerennialError) {
    var heirs: [Place: [ManagedObject: ManagedObject]] = [:]
    var order: [Place] = []
    var taken: [String: Set<ManagedObject>] = [:]
    for (object, kept) in pairs {
      for link in try inheritance(from: object, to: kept).links {
        guard let number = link.orderedInverse else { continue }
        var owners: [ManagedObject] = []
        if link.from.isToMany {
          owners = Array(try object.objects(forKey: link.from.name))
        } else if let target = try object.object(forKey: link.from.name),
          try canTake(target, of: object, kept, link),
          taken[link.from.name, default: []].insert(kept).inserted
        {
          owners = [target]
        }
        for owner in owners where owner !== kept && owner !== object {
          let place = Place(owner: owner, number: number)
          if heirs[place] == nil { order.append(place) }
          heirs[place, default: [:]][object] = kept
        }
      }
    }
    for place in order { place.owner._replaceMembers(heirs[place] ?? [:], in: place.number) }
  }

  /// A to-many relationship of an object.
  private struct Place: Hashable {
    let owner: ManagedObject
    let number: Int
  }

  /// Whether an object that a to-one relationship of a duplicate leads to can be that of the object that stays.
  private func canTake(
    _ target: ManagedObject,
    of object: ManagedObject,
    _ kept: ManagedObject,
    _ link: Inheritance.Link
  ) throws(PerennialError) -> Bool {
    guard target !== kept, let to = link.to, try fits(target, to) else { return false }
    let own = try kept.object(forKey: to.name)
    return own == nil || own === object
  }

  private func fits(
    _ target: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> Bool {
    let entity = try mapping.source.entity(named: target.objectID.entityName)
    return mapping.source.entities[relationship.destination].family.contains(entity.index)
  }

  /// Gives an object's relationships, and perhaps values, to another.
  private func merge(_ object: ManagedObject, into kept: ManagedObject) throws(PerennialError) {
    let inheritance = try inheritance(from: object, to: kept)
    for link in inheritance.links {
      if link.from.isToMany {
        try mergeMembers(of: object, into: kept, link)
      } else {
        try mergeTarget(of: object, into: kept, link)
      }
    }
    guard keeping == .merged else { return }
    for (from, to) in inheritance.attributes where try kept.value(forKey: to) == nil {
      try kept.setValue(try object.value(forKey: from), forKey: to)
    }
  }

  private func mergeTarget(
    of object: ManagedObject,
    into kept: ManagedObject,
    _ link: Inheritance.Link
  ) throws(PerennialError) {
    guard let target = try object.object(forKey: link.from.name) else { return }
    if let to = link.to, try canTake(target, of: object, kept, link) {
      // Let go first: the way back of a one-to-one leads to one object only.
      try object.setObject(nil, forKey: link.from.name)
      try kept.setObject(target, forKey: to.name)
    } else if !link.ownsAlone || target === kept {
      try object.setObject(nil, forKey: link.from.name)
    }
  }

  private func mergeMembers(
    of object: ManagedObject,
    into kept: ManagedObject,
    _ link: Inheritance.Link
  ) throws(PerennialError) {
    let own = try object.objects(forKey: link.from.name)
    for member in Array(own) {
      if member === kept || member === object {
        own.remove(member)
      } else if let to = link.to, try fits(member, to) {
        own.remove(member)
        try kept.objects(forKey: to.name).insert(member)
      }
    }
  }
}
