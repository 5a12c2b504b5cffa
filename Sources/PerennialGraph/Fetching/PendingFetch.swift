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
/// Otherwise no more rows are asked for than can come into the window, where the store's order is
/// known to be that of the objects; and objects are counted by the identities of their rows.
struct PendingFetch {
  let context: ManagedObjectContext
  let query: StoreQuery

  func objects() throws(PerennialError) -> [ManagedObject] {
    let changesElsewhere = try context.changesMatterElsewhere(to: query)
    var stored = storedQuery(changesElsewhere)
    if query.limit > 0, !changesElsewhere, try isSortedByStore() { stored.limit = storedLimit }
    var objects: [ManagedObject] = []
    try context.store.fetchRows(stored) { page in context.append(page, to: &objects) }
    return try self.objects(among: objects, changesElsewhere)
  }

  /// The identities of the objects; without an order of its own the new ones come last.
  ///
  /// No object is made of a row unless that is to decide about it. One statement brings the rows' identities, and
  /// their values under the sorts where changed objects have to be put among them.
  func references() throws(PerennialError) -> [ObjectReference] {
    guard try !context.changesMatterElsewhere(to: query), try isSortedByStore() else {
      return try objects().map(\._reference)
    }
    let selected = try filter(changed, query.predicate?.checked())
    let edited = Set(edited.map(\._reference))
    var stored = storedQuery(false)
    stored.limit = storedLimit
    guard !selected.isEmpty, !query.sorts.isEmpty else {
      var references = try context.store.fetchReferences(stored)
      if query.sorts.isEmpty { KeyOrder.sort(&references) }
      references.removeAll(where: edited.contains)
      return window(references + selected.map(\._reference))
    }
    var rows = try context.store.fetchSortKeys(stored, query.sorts)
    rows.removeAll { edited.contains($0.reference) }
    let paths = SortPaths(query.sorts)
    for object in selected { rows.append(try SortKeys(of: object, paths)) }
    // Nearly sorted already, which takes one comparison for each row.
    rows.sort { SortKeys.order($0, $1, query.sorts) < 0 }
    return window(rows.map(\.reference))
  }

  /// The number of objects.
  ///
  /// One statement brings the identities of stored ones: of two that count, somebody's save could come
  /// between.
  func count() throws(PerennialError) -> Int {
    var stored = query
    stored.sorts = []
    if try context.changesMatterElsewhere(to: stored) {
      return context.awakened(try objects()).count
    }
    (stored.limit, stored.offset) = (storedLimit, 0)
    let references = Set(edited.map(\._reference))
    var count = 0
    try context.store.fetchReferences(stored, inPiecesOf: 1_024) { piece in
      count += piece.count { !references.contains($0) }
    }
    count += try filter(changed, query.predicate?.checked()).count
    return query.window(of: count).count
  }

  /// How many rows there must be, whatever changed objects take out of them, to fill the window; 0 for
  /// all rows.
  ///
  /// The objects of a parent may take out more: their hooks are called when it is asked.
  private var storedLimit: Int {
    guard query.limit > 0, context.parent == nil else { return 0 }
    return query.widened(by: edited.count { context.isKnownAbove($0) }).limit
  }

  /// Whether the store sorts as memory does: by values of the rows' own, all of which it has.
  ///
  /// An object that a relationship leads to may have older values here than in the store.
  private func isSortedByStore() throws(PerennialError) -> Bool {
    if query.sorts.isEmpty { return true }
    let root = context.homes[query.entity].layout.root
    guard !context.lifecycle.unsavedRoots.contains(root) else { return false }
    let order = StoreQuery(entity: query.entity, sorts: query.sorts)
    return try QueryChecker(context.store.model).relatedEntities(of: order).isEmpty
  }

  /// What to ask the store for, so that any objects may be changed by the time of its answer.
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

  /// The objects of the query's entities with changes, deleted ones included.
  private var edited: [ManagedObject] {
    let family = context.store.model.entities[query.entity].family
    let entities = query.includesSubentities ? Array(family) : [query.entity]
    return entities.flatMap { context.homes[$0].changedObjects }
  }

  /// Those of them that are not deleted.
  private var changed: [ManagedObject] {
    edited.filter { !$0.isDeleted && context.asks(query, for: $0) }
  }

  private func filter(
    _ objects: [ManagedObject],
    _ predicate: PredicateNode?
  ) throws(PerennialError) -> [ManagedObject] {
    guard let predicate else { return objects }
    let prepared = PreparedPredicate(predicate)
    var selected: [ManagedObject] = []
    for object in objects where try RowQuery.isTrue(prepared, for: ObjectSource(object)) {
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

  private func window<Element>(_ elements: [Element]) -> [Element] {
    Array(elements[query.window(of: elements.count)])
  }
}

extension ManagedObjectContext {
  /// Whether unsaved changes can change a query's result.
  func changesMatter(to query: StoreQuery) throws(PerennialError) -> Bool {
    guard hasEdits else { return false }
    if hasChanges(in: query.entity) { return true }
    return try changesMatterElsewhere(to: query)
  }

  /// Whether unsaved changes of other entities, or of pairs, can decide about a query.
  func changesMatterElsewhere(to query: StoreQuery) throws(PerennialError) -> Bool {
    let reached = try QueryChecker(store.model).relatedEntities(of: query)
    guard !reached.isEmpty else { return false }
    return relationships.hasChanges || reached.contains { hasChanges(in: $0) }
  }

  /// Whether objects of an entity or of its subentities are changed.
  func hasChanges(in entity: Int) -> Bool {
    homes[entity].layout.family.contains { !homes[$0].changed.isEmpty }
  }
}

extension Int64 {
  /// A key's place in the order of keys: new objects, whose keys are -1, -2 and so on, will have greater
  /// keys than stored ones.
  var ordered: Int64 { self < 0 ? 1 << 48 - self : self }
}
