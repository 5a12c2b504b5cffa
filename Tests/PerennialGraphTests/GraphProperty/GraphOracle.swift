// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What the graph should be: plain values, no contexts, no rows.
struct GraphOracle: Equatable {
  struct Object: Equatable {
    let entity: String
    var name = ""
    var number: Int?
    var toOnes: [String: Int] = [:]
    var toManys: [String: [Int]] = [:]

    /// The object without its to-many relationships: what its row holds.
    var slots: Object {
      var copy = self
      copy.toManys = [:]
      return copy
    }
  }

  var objects: [Int: Object] = [:]
  var inserted: Set<Int> = []
  var updated: Set<Int> = []
  var deleted: Set<Int> = []
  /// The objects whose one-to-one partner was set, also to what it had been.
  private(set) var paired: Set<Int> = []

  /// The numbers of the live objects of an entity, ascending.
  func live(_ entity: String) -> [Int] {
    objects.filter { $0.value.entity == entity }.keys.sorted()
  }

  mutating func touch(_ id: Int) {
    if !inserted.contains(id) { updated.insert(id) }
  }

  mutating func insert(_ id: Int, _ entity: String) {
    objects[id] = Object(entity: entity)
    inserted.insert(id)
  }

  mutating func setName(_ id: Int, _ name: String) {
    guard objects[id]?.name != name else { return }
    objects[id]?.name = name
    touch(id)
  }

  mutating func setNumber(_ id: Int, _ number: Int?) {
    guard objects[id]?.number != number else { return }
    objects[id]?.number = number
    touch(id)
  }

  private func inverse(_ relationship: PRelationship) -> PRelationship {
    PModel.relationship(relationship.inverse, of: relationship.destination) ?? relationship
  }

  private mutating func drop(_ id: Int, _ relationship: PRelationship, _ other: Int) {
    if relationship.isToMany {
      objects[id]?.toManys[relationship.name]?.removeAll { $0 == other }
    } else if objects[id]?.toOnes[relationship.name] == other {
      objects[id]?.toOnes[relationship.name] = nil
      if relationship.isOneToOne { paired.insert(id) }
      touch(id)
    }
  }

  private mutating func put(_ id: Int, _ relationship: PRelationship, _ other: Int) {
    if relationship.isToMany {
      if objects[id]?.toManys[relationship.name]?.contains(other) == true { return }
      objects[id]?.toManys[relationship.name, default: []].append(other)
    } else {
      objects[id]?.toOnes[relationship.name] = other
      if relationship.isOneToOne { paired.insert(id) }
      touch(id)
    }
  }

  mutating func unlink(_ id: Int, _ relationship: PRelationship, _ other: Int) {
    drop(id, relationship, other)
    drop(other, inverse(relationship), id)
  }

  mutating func setOne(_ id: Int, _ relationship: PRelationship, _ target: Int?) {
    let old = objects[id]?.toOnes[relationship.name]
    guard old != target else { return }
    if let old { unlink(id, relationship, old) }
    guard let target else { return }
    let back = inverse(relationship)
    if !back.isToMany, let partner = objects[target]?.toOnes[back.name] {
      unlink(target, back, partner)
    }
    put(id, relationship, target)
    put(target, back, id)
  }

  mutating func insertMember(_ id: Int, _ relationship: PRelationship, _ member: Int) {
    let back = inverse(relationship)
    if !back.isToMany { return setOne(member, back, id) }
    guard objects[id]?.toManys[relationship.name]?.contains(member) != true else { return }
    put(id, relationship, member)
    put(member, back, id)
  }

  mutating func removeMember(_ id: Int, _ relationship: PRelationship, _ member: Int) {
    guard objects[id]?.toManys[relationship.name]?.contains(member) == true else { return }
    unlink(id, relationship, member)
  }

  mutating func replace(_ id: Int, _ relationship: PRelationship, _ members: [Int]) {
    for old in objects[id]?.toManys[relationship.name] ?? [] where !members.contains(old) {
      removeMember(id, relationship, old)
    }
    for member in members { insertMember(id, relationship, member) }
    if relationship.isOrdered { objects[id]?.toManys[relationship.name] = members }
  }

  mutating func delete(_ id: Int) {
    guard let object = objects[id] else { return }
    let relationships = PModel.relationships[object.entity] ?? []
    var doomed: [Int] = []
    for relationship in relationships {
      let related =
        relationship.isToMany
        ? object.toManys[relationship.name] ?? []
        : object.toOnes[relationship.name].map { [$0] } ?? []
      for other in related where other != id {
        if relationship.cascades { doomed.append(other) }
        drop(other, inverse(relationship), id)
      }
    }
    objects[id] = nil
    updated.remove(id)
    if inserted.remove(id) == nil { deleted.insert(id) }
    for other in doomed { delete(other) }
  }

  /// The graph after a save.
  var saved: GraphOracle {
    var saved = self
    saved.inserted = []
    saved.updated = []
    saved.deleted = []
    saved.paired = []
    return saved
  }

  var hasObjectChanges: Bool { !inserted.isEmpty || !updated.isEmpty || !deleted.isEmpty }
}
