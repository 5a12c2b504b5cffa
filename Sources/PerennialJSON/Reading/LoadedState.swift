// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The objects of a file while they are read: rows whose references are checked at the end, when all
/// objects are known.
struct LoadedState {
  private var state: InMemoryState
  private let model: ModelLayout
  private var pages: [(entity: Int, page: RowPage)] = []
  private var pairs: [Set<ChangeSet.LinkChange.Pair>]
  private var greatestKeys: [Int64]
  /// The lists of ordered relationships in a file that was edited by hand.
  private var lists: [(relationship: RelationshipLayout, owner: Int64, members: [Int64])] = []
  private let isSealed: Bool
  /// Which values lie in files of their own.
  var external = ExternalValues()

  /// - Parameters:
  ///   - model: The model.
  ///   - isSealed: Whether a store has written the file.
  init(_ model: ModelLayout, isSealed: Bool) {
    self.model = model
    self.isSealed = isSealed
    state = InMemoryState(model: model)
    pairs = Array(repeating: [], count: model.links.count)
    greatestKeys = Array(repeating: 0, count: model.entities.count)
  }

  /// Whether there is an object of a root entity and a key in what has been added.
  func has(_ key: Int64, root: Int) -> Bool {
    key <= greatestKeys[root] && state.tables[root][key] != nil
  }

  /// Notes a key that belongs to a row of the page that is added next.
  mutating func note(_ key: Int64, root: Int) {
    greatestKeys[root] = max(greatestKeys[root], key)
  }

  mutating func add(_ page: RowPage, entity: Int) {
    pages.append((entity, page))
    state.load(page, root: model.entities[entity].root)
  }

  /// Adds the members that an object's line lists.
  mutating func add(_ members: [Int64], of relationship: RelationshipLayout, owner: Int64) {
    if relationship.isOrdered {
      state.setOrder(members, of: relationship, owner: owner)
      if !isSealed { lists.append((relationship, owner, members)) }
    }
    guard let side = relationship.side, side.isFirst else { return }
    let isSymmetric = model.links[side.link].isSymmetric
    for member in members {
      let isTurned = isSymmetric && member < owner
      pairs[side.link].insert(
        isTurned ? .init(first: member, second: owner) : .init(first: owner, second: member)
      )
    }
  }

  /// Checks what the objects name.
  ///
  /// Objects that are not there may be named in what a store has written: a delete rule may leave such
  /// names, and so may two contexts, of which one deletes what the other names.
  ///
  /// - Parameter header: What the file says about itself.
  /// - Returns: The state.
  /// - Throws: What is named and not there, in a file that was edited by hand.
  mutating func finish(_ header: StoreHeader) throws(JSONFault) -> InMemoryState {
    for (entity, page) in pages { try checkReferences(of: page, model.entities[entity]) }
    for link in model.links {
      for pair in pairs[link.index] {
        let owner = (link.first.entity, pair.first)
        _ = try entity(of: pair.second, in: link.second.entity, from: link.first.name, of: owner)
      }
      state.setPairs(pairs[link.index], of: link.index)
    }
    for (relationship, key, members) in lists {
      let owner = (relationship.entity, key)
      for member in members {
        _ = try entity(
          of: member,
          in: relationship.destination,
          from: relationship.name,
          of: owner
        )
      }
    }
    for entity in model.entities where entity.root == entity.index {
      let next = greatestKeys[entity.index] + 1
      state.nextKeys[entity.index] = max(next, header.nextKeys[entity.name] ?? 1)
    }
    return state
  }

  /// Puts the concrete entities of the objects that a page's rows name beside their keys.
  ///
  /// Safe because nobody but this value has the page yet.
  private func checkReferences(
    of page: RowPage,
    _ entity: EntityLayout
  ) throws(JSONFault) {
    for slot in entity.referenceSlots {
      guard let relationship = entity.slots[slot].relationship else { continue }
      for index in 0..<page.count {
        let row = page.row(index)
        if PackedRow.isNull(row, slot) { continue }
        let key = PackedRow.reference(row, slot).key
        let found = try self.entity(
          of: key,
          in: relationship.destination,
          from: relationship.name,
          of: (entity.index, PackedRow.key(row))
        )
        let reference = ObjectReference(key: key, entity: found)
        PackedRow.setWord(
          UnsafeMutableRawPointer(mutating: row),
          slot,
          UInt64(bitPattern: reference.word)
        )
      }
    }
  }

  /// The concrete entity of an object that a relationship names.
  private func entity(
    of key: Int64,
    in destination: Int,
    from name: String,
    of owner: (entity: Int, key: Int64)
  ) throws(JSONFault) -> Int {
    let layout = model.entities[destination]
    guard let row = state.tables[layout.root][key], layout.family.contains(row.entity) else {
      if isSealed { return destination }
      let owner = "'\(model.entities[owner.entity].name)' \(owner.key)"
      throw JSONFault("'\(name)' of \(owner) names '\(layout.name)' \(key), which is not there")
    }
    return row.entity
  }
}
