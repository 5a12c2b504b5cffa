// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// Reads what a list shows: from the store, with a context's unsaved changes on top.
///
/// Stored rows are filtered and sorted by the store. Objects with changes are looked at in memory and
/// put in their places; where changes of *other* objects can decide, every row is looked at in memory.
struct ResultsReader {
  let context: ManagedObjectContext
  let query: ResultsQuery

  private var sorts: [FetchSort] { query.store.sorts }
  var model: ModelLayout { context.store.model }

  /// The whole list, read anew.
  func list() throws(PerennialError) -> ResultsList {
    // Two statements may see two states of a store that somebody else writes to.
    for _ in 0..<3 { if let list = try readList() { return list } }
    throw .resultsMovedOn(model.entities[query.store.entity].name)
  }

  private func readList() throws(PerennialError) -> ResultsList? {
    if let key = query.transientSection { return finish(try list(inSectionsBy: key)) }
    if try decidesInMemory() {
      var rows: [SortKeys] = []
      let objects = try PendingFetch(context: context, query: query.store).objects()
      let paths = SortPaths(sorts)
      for object in context.awakened(objects) { rows.append(try SortKeys(of: object, paths)) }
      return finish(makeList(SectionedReferences(rows)))
    }
    let edited = query.countsEdits ? editedObjects : []
    let isWidened = query.hasWindow && !edited.isEmpty
    var list = try fetchList(isWidened ? query.store.widened(by: edited.count) : query.store)
    guard !edited.isEmpty else { return finish(list) }
    _ = list.remove(KeyFilter(Set(edited.map(\._key))))
    var rows: [SortKeys] = []
    let paths = SortPaths(sorts)
    for object in try shown(edited) {
      rows.append(try SortKeys(of: object, paths))
    }
    guard var placed = try ResultsPlacement(list, self).place(rows) else { return nil }
    if query.hasWindow { placed.cut(offset: query.store.offset, limit: query.store.limit) }
    return finish(placed)
  }

  /// All rows with their values under the sorts, in no order.
  func rows() throws(PerennialError) -> [SortKeys] {
    var rows: [SortKeys] = []
    if try decidesInMemory() {
      let objects = try PendingFetch(context: context, query: query.store).objects()
      let paths = SortPaths(sorts)
      for object in context.awakened(objects) { rows.append(try SortKeys(of: object, paths)) }
      return rows
    }
    var stored = query.store
    stored.sorts = []
    rows = try context.store.fetchSortKeys(stored, sorts)
    let edited = query.countsEdits ? editedObjects : []
    guard !edited.isEmpty else { return rows }
    let filter = KeyFilter(Set(edited.map(\._key)))
    rows.removeAll { filter.contains($0.reference.key) }
    let paths = SortPaths(sorts)
    for object in try shown(edited) {
      rows.append(try SortKeys(of: object, paths))
    }
    return rows
  }

  /// A list with some rows taken out, looked at again, and put where they belong now.
  ///
  /// - Parameters:
  ///   - list: The list; its other rows must still be right.
  ///   - keys: The keys of rows that may have changed, come or gone.
  /// - Returns: The list; `nil` when it must be read anew.
  /// - Throws: What cannot be read or compared.
  func list(_ list: ResultsList, updating keys: Set<Int64>) throws(PerennialError) -> ResultsList? {
    var base = list
    let places = base.remove(KeyFilter(keys))
    let rows = try rows(of: keys.sorted(), filtered: true)
    return try ResultsPlacement(base, self, places: places).place(rows).map { finish($0) }
  }

  private func fetchList(_ stored: StoreQuery) throws(PerennialError) -> ResultsList {
    guard let section = query.section else {
      var rows = SectionedReferences()
      rows.references = try context.store.fetchReferences(stored)
      return makeList(rows)
    }
    return makeList(try context.store.fetchReferences(stored, sectionedBy: section))
  }

  /// The rows of some keys with their values under the sorts.
  ///
  /// - Parameters:
  ///   - keys: Keys of the root entity.
  ///   - isFiltered: Whether rows that the list does not show are left out.
  ///   - first: The first sort of which values are wanted.
  /// - Returns: The rows that exist, in any order.
  /// - Throws: What cannot be read or compared.
  func rows(
    of keys: [Int64],
    filtered isFiltered: Bool,
    sortsFrom first: Int = 0
  ) throws(PerennialError) -> [SortKeys] {
    guard !keys.isEmpty else { return [] }
    let sorts = Array(sorts[first...])
    if try decidesInMemory() { return try rowsInMemory(keys, filtered: isFiltered, sorts) }
    var rows: [SortKeys] = []
    let paths = SortPaths(sorts)
    var stored: [Int64] = []
    var edited: [ManagedObject] = []
    for key in keys {
      let object = context.homes[query.root].map.find(key)?.takeUnretainedValue()
      guard let object, query.countsEdits, object._edit != nil else {
        if key > 0 || context.parent != nil { stored.append(key) }
        continue
      }
      edited.append(object)
    }
    for object in isFiltered ? try shown(edited) : edited {
      rows.append(try SortKeys(of: object, paths))
    }
    if !stored.isEmpty {
      var query = query.store
      query.scope = .keys(stored)
      query.sorts = []
      (query.limit, query.offset) = (0, 0)
      if !isFiltered { query.predicate = nil }
      rows += try context.store.fetchSortKeys(query, sorts)
    }
    return rows
  }

  private func rowsInMemory(
    _ keys: [Int64],
    filtered isFiltered: Bool,
    _ sorts: [FetchSort]
  ) throws(PerennialError) -> [SortKeys] {
    var found: [ManagedObject] = []
    let missing = keys.filter { key in
      guard let object = context.homes[query.root].map.find(key)?.takeUnretainedValue(),
        object._row != nil
      else { return key > 0 || context.parent != nil }
      found.append(object)
      return false
    }
    var loaded: [ManagedObject] = []
    let scope = StoreQuery(entity: query.root, scope: .keys(missing))
    try context.store.fetchRows(scope) { context.append($0, to: &loaded) }
    var rows: [SortKeys] = []
    let paths = SortPaths(sorts)
    let objects = found + context.awakened(loaded)
    for object in isFiltered ? try shown(objects) : objects {
      rows.append(try SortKeys(of: object, paths))
    }
    return rows
  }

  /// Whether unsaved changes of other objects can decide about stored rows.
  private func decidesInMemory() throws(PerennialError) -> Bool {
    guard query.countsEdits, context.hasEdits,
      try context.changesMatterElsewhere(to: query.store)
    else { return false }
    // What a parent's rollback has done to them, for instance, is nobody's news.
    if context.parent != nil { context.relationships.forgetLoaded() }
    return true
  }

  /// The keys of objects with changes, which need not lead where their rows do.
  var editedKeys: Set<Int64> { query.countsEdits ? Set(editedObjects.lazy.map(\._key)) : [] }

  /// The objects with changes that rows may be of, deleted ones included.
  var editedObjects: [ManagedObject] {
    let family = model.entities[query.store.entity].family
    let entities = query.store.includesSubentities ? Array(family) : [query.store.entity]
    return entities.flatMap { context.homes[$0].changedObjects }
  }

  /// Those of some objects that the list shows.
  private func shown(_ objects: [ManagedObject]) throws(PerennialError) -> [ManagedObject] {
    let candidates = objects.filter { object in
      guard !object.isDeleted, let entity = object._home?.pointee.index else { return false }
      return query.shows(entity, in: model) && context.asks(query.store, for: object)
    }
    guard !candidates.isEmpty, let predicate = try query.store.predicate?.checked() else {
      return candidates
    }
    let condition = PreparedPredicate(predicate)
    var shown: [ManagedObject] = []
    for object in candidates where try RowQuery.isTrue(condition, for: ObjectSource(object)) {
      shown.append(object)
    }
    return shown
  }

  // MARK: Lists

  private func makeList(_ rows: SectionedReferences) -> ResultsList {
    var list = ResultsList(naming: naming)
    list.references = rows.references
    guard query.section != nil else {
      list.isWithoutSections = true
      list.sections = [.init(name: "", range: 0..<rows.references.count)]
      return list
    }
    for (number, section) in rows.sections.enumerated() {
      let isLast = number + 1 == rows.sections.count
      let end = isLast ? rows.references.count : rows.sections[number + 1].start
      list.append(end - section.start, to: section.value.sectionName)
    }
    return list
  }

  /// The list in sections that only its objects can name; a section is where the first of its rows is.
  private func list(inSectionsBy key: String) throws(PerennialError) -> ResultsList {
    var sections: [(name: String, rows: [ObjectReference])] = []
    // As values, names are compared by their bytes.
    var places: [PropertyValue: Int] = [:]
    for object in context.awakened(try shownObjects()) {
      let value = try ObjectSource(object).value(forKey: key)
      let name = if case .scalar(let value) = value { value.sectionName } else { "" }
      let place = places[.string(name)] ?? sections.count
      if place == sections.count {
        sections.append((name, []))
        places[.string(name)] = place
      }
      sections[place].rows.append(object._reference)
    }
    var list = ResultsList(naming: naming)
    for section in sections {
      list.references += section.rows
      list.append(section.rows.count, to: section.name)
    }
    return list
  }

  private func shownObjects() throws(PerennialError) -> [ManagedObject] {
    if query.countsEdits { return try PendingFetch(context: context, query: query.store).objects() }
    var objects: [ManagedObject] = []
    try context.store.fetchRows(query.store) { context.append($0, to: &objects) }
    return objects
  }

  private var naming: ObjectNaming {
    ObjectNaming(model, context.coordinator.naming, context.storedIDs)
  }

  /// Notes the IDs of unsaved objects.
  private func finish(_ list: ResultsList) -> ResultsList {
    guard context.parent != nil || context.hasEdits else { return list }
    var list = list
    list.temporaryIDs = [:]
    for reference in list.references where reference.key < 0 {
      let object = context.known(reference)
      list.temporaryIDs[reference] = object?.objectID ?? context.objectID(of: reference)
    }
    return list
  }
}

extension PerennialError {
  /// The store changed between two statements.
  fileprivate static func resultsMovedOn(_ entity: String) -> PerennialError {
    PerennialError(
      .invalidRequest,
      "The rows of '\(entity)' changed while a results controller read them.",
      recovery: "fetch again",
      entity: entity
    )
  }
}
