// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a context is about to save, as far as others have to keep away from it.
struct GraphEdits {
  private var deleted: Set<Int>
  /// The objects whose values were changed, and those that are linked anew: nobody may delete them.
  private var used: Set<Int>
  /// The objects with another one-to-one partner: both sides hold a value, so two changes do not
  /// merge.
  private var paired: Set<Int>

  init(of graph: GraphOracle, since base: GraphOracle) {
    deleted = Set(base.objects.keys.filter { graph.objects[$0] == nil })
    used = graph.updated
    paired = graph.paired
    for (id, object) in graph.objects {
      let old = base.objects[id]
      if object.slots != old?.slots { used.insert(id) }
      for relationship in PModel.relationships[object.entity] ?? [] {
        let name = relationship.name
        if relationship.isToMany {
          let linked = Set(object.toManys[name] ?? []).subtracting(old?.toManys[name] ?? [])
          if !linked.isEmpty { used.formUnion(linked.union([id])) }
        } else if let target = object.toOnes[name], target != old?.toOnes[name] {
          used.insert(target)
        }
        if relationship.isOneToOne, object.toOnes[name] != old?.toOnes[name] { paired.insert(id) }
      }
    }
  }

  /// Whether both can be saved, in any order.
  func goes(with other: GraphEdits) -> Bool {
    deleted.isDisjoint(with: other.used) && used.isDisjoint(with: other.deleted)
      && deleted.isDisjoint(with: other.deleted) && paired.isDisjoint(with: other.paired)
  }
}

/// What a context with pending changes sees after another one has saved.
///
/// The rule is as naive as it can be: an attribute or a to-one that was set here stays, all others
/// are what is saved; a to-one to what was deleted elsewhere is nil; pairs of a many-to-many relationship are merged one by one; other to-manys
/// follow from the to-ones.
struct GraphMerge {
  /// What a context has changed and not saved.
  struct Pending {
    /// The values that were set, by object, also those that were set to what they had been.
    var keys: [Int: Set<String>] = [:]
    /// The objects with changes, also when their members come to the same again.
    var owners: Set<Int> = []
  }

  /// The members of an ordered relationship.
  struct List {
    let owner: Int
    let relationship: PRelationship
  }

  /// The objects that the context sees.
  private(set) var objects: [Int: GraphOracle.Object] = [:]
  /// The ordered members that were changed here, or may have been.
  private(set) var reordered: [List] = []

  private let base: GraphOracle
  private let saved: GraphOracle
  private let mine: GraphOracle
  private let pending: Pending

  /// - Parameters:
  ///   - base: What was saved before.
  ///   - saved: What is saved now.
  ///   - mine: What the context saw before.
  ///   - pending: What it had changed and not saved.
  init(base: GraphOracle, saved: GraphOracle, mine: GraphOracle, _ pending: Pending) {
    (self.base, self.saved, self.mine, self.pending) = (base, saved, mine, pending)
    for (id, object) in saved.objects where !mine.deleted.contains(id) {
      objects[id] = merged(object, mine.objects[id], pending.keys[id] ?? [])
    }
    for id in mine.inserted { objects[id] = mine.objects[id] }
    let live = objects
    for id in live.keys {
      objects[id]?.toOnes = live[id]?.toOnes.filter { live[$0.value] != nil } ?? [:]
    }
    for id in live.keys { mergeMembers(of: id) }
  }

  /// The values of one object, with the members as they are saved.
  private func merged(
    _ saved: GraphOracle.Object,
    _ mine: GraphOracle.Object?,
    _ edits: Set<String>
  ) -> GraphOracle.Object {
    guard let mine else { return saved }
    var object = saved
    if edits.contains("name") { object.name = mine.name }
    if edits.contains("number") { object.number = mine.number }
    for relationship in PModel.relationships[saved.entity] ?? []
    where !relationship.isToMany && edits.contains(relationship.name) {
      object.toOnes[relationship.name] = mine.toOnes[relationship.name]
    }
    return object
  }

  private mutating func mergeMembers(of id: Int) {
    guard let entity = objects[id]?.entity else { return }
    for relationship in PModel.relationships[entity] ?? [] where relationship.isToMany {
      let name = relationship.name
      let (mine, base, saved) = (
        mine.objects[id]?.toManys[name] ?? [], base.objects[id]?.toManys[name] ?? [],
        saved.objects[id]?.toManys[name] ?? []
      )
      let members = relationship.isLink ? merged(mine, base, saved) : owned(by: id, relationship)
      let order = saved + mine.filter { !saved.contains($0) }
      let sorted = order.filter(members.contains) + members.subtracting(order).sorted()
      objects[id]?.toManys[name] = sorted
      if relationship.isOrdered, mine != base || pending.owners.contains(id) {
        reordered.append(List(owner: id, relationship: relationship))
      }
    }
  }

  /// The pairs that are saved, without those taken out here, with those put in here.
  private func merged(_ mine: [Int], _ base: [Int], _ saved: [Int]) -> Set<Int> {
    Set(saved).subtracting(Set(base).subtracting(mine)).union(Set(mine).subtracting(base))
  }

  private func owned(by id: Int, _ relationship: PRelationship) -> Set<Int> {
    Set(objects.filter { $0.value.toOnes[relationship.inverse] == id }.keys)
  }
}
