// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// A fetch in a context with unsaved changes that may change its result.
///
/// The store's rows of unchanged objects are taken as they come; the changed objects are evaluated
/// in memory; then all are sorted and the window is cut out. When a changed object of another
/// entity can decide about the condition or the order, every object is evaluated in memory.
struct PendingFetch {
  let context: ManagedObjectContext
  let query: StoreQuery

  func objects() throws(PerennialError) -> [ManagedObject] {
    let changesElsewhere = try context.changesMatterElsewhere(to: query)
    var objects: [ManagedObject] = []
    try context.store.fetchRows(storedQuery(changesElsewhere)) { page in
      context.append(page, to: &objects)
    }
    return try self.objects(among: objects, changesElsewhere)
  }

  /// What to ask the store for.
  func storedQuery(_ changesElsewhere: Bool) -> StoreQuery {
    var stored = query
    stored.limit = 0
    stored.offset = 0
    if changesElsewhere {
      stored.predicate = nil
      stored.sorts = []
    }
    return stored
  }

  /// The result, made of the objects that the store has given.
  func objects(
    among stored: [ManagedObject],
    _ changesElsewhere: Bool
  ) throws(PerennialError) -> [ManagedObject] {
    let predicate = try query.predicate?.checked()
    var objects = stored.filter { $0._edit == nil }
    if changesElsewhere { objects = try filter(objects, predicate) }
    objects += try filter(changed, predicate)
    return window(try sort(objects))
  }

  /// Those of some objects that the query's condition selects, sorted, within its window.
  func select(from objects: [ManagedObject]) throws(PerennialError) -> [ManagedObject] {
    window(try sort(filter(objects, query.predicate?.checked())))
  }

  /// The changed objects of the query's entities that are not deleted.
  private var changed: [ManagedObject] {
    let family = context.store.model.entities[query.entity].family
    let entities = query.includesSubentities ? Array(family) : [query.entity]
    return entities.flatMap { context.homes[$0].changedObjects }
      .filter { !$0.isDeleted && context.asks(query, for: $0) }
  }

  private func filter(
    _ objects: [ManagedObject],
    _ predicate: PredicateNode?
  ) throws(PerennialError) -> [ManagedObject] {
    guard let predicate else { return objects }
    var selected: [ManagedObject] = []
    for object in objects where try RowQuery.isTrue(predicate, for: ObjectSource(object)) {
      selected.append(object)
    }
    return selected
  }

  private func sort(_ objects: [ManagedObject]) throws(PerennialError) -> [ManagedObject] {
    guard !query.sorts.isEmpty else { return objects }
    let sources = objects.map { ObjectSource($0) }
    let keys = objects.map(\._key.ordered)
    return try RowQuery.order(sources, keys: keys, by: query.sorts).map { objects[$0] }
  }

  private func window(_ objects: [ManagedObject]) -> [ManagedObject] {
    let rest = objects.dropFirst(max(0, query.offset))
    return Array(query.limit > 0 ? rest.prefix(query.limit) : rest)
  }
}

extension ManagedObjectContext {
  /// Whether unsaved changes can change a query's result.
  func changesMatter(to query: StoreQuery) throws(PerennialError) -> Bool {
    guard hasChanges else { return false }
    if hasChanges(in: query.entity) { return true }
    return try changesMatterElsewhere(to: query)
  }

  /// Whether unsaved changes of other entities, or of pairs, can decide about a query.
  func changesMatterElsewhere(to query: StoreQuery) throws(PerennialError) -> Bool {
    let reached = try QueryChecker(store.model).relatedEntities(of: query)
    guard !reached.isEmpty else { return false }
    return relationships.hasChanges || reached.contains { hasChanges(in: $0) }
  }

  func hasChanges(in entity: Int) -> Bool {
    store.model.entities[entity].family.contains { !homes[$0].changed.isEmpty }
  }
}

extension Int64 {
  /// A key's place in the order of keys: new objects, whose keys are -1, -2 and so on, will have greater
  /// keys than stored ones.
  var ordered: Int64 { self < 0 ? 1 << 48 - self : self }
}
