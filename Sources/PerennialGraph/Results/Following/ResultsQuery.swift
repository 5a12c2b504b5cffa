// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// What a list shows, in what order and in which sections, with every name checked.
struct ResultsQuery {
  /// The rows: their condition, their complete order, their window.
  let store: StoreQuery
  /// The place of the root entity.
  let root: Int
  /// The sort whose values make sections, the first of the order; `nil` for one section of all.
  let section: FetchSort?
  /// The transient attribute that makes sections, which only objects have; the order is as requested.
  let transientSection: String?
  /// Whether unsaved changes of the context count.
  let countsEdits: Bool
  /// What else decides about the rows: objects that the condition or a sort goes through.
  let reached: Set<Int>
  /// The to-one relationships that lead to them; `nil` when some are reached in another way.
  let paths: [ReachingPath]?

  /// To-one relationships from a row to an object that decides about it.
  struct ReachingPath: Hashable {
    let steps: [String]
    /// The root of the object's entity.
    let root: Int

    /// Whether the path goes on where another one ends.
    func goes(through other: ReachingPath) -> Bool {
      steps.count > other.steps.count && steps.starts(with: other.steps)
    }
  }

  init<Object>(
    _ request: FetchRequest<Object>,
    sectionKeyPath: String?,
    in context: ManagedObjectContext
  ) throws(PerennialError) {
    var request = request
    let transient = sectionKeyPath.flatMap { Self.isTransient($0, request, context) ? $0 : nil }
    let stored = transient == nil ? sectionKeyPath : nil
    guard stored != nil || !request.sortDescriptors.isEmpty else {
      throw .unsortedResults(request.entityName)
    }
    let section = stored.map { Self.section(by: $0, request.sortDescriptors) }
    if let section { request.sortDescriptors = Self.order(by: section, request.sortDescriptors) }
    try self.init(request, section: section, transient, in: context)
  }

  /// The rows that a request selects, in no order, and some of their values in place of sorts.
  init<Object>(
    _ request: FetchRequest<Object>,
    values: [FetchSort],
    in context: ManagedObjectContext
  ) throws(PerennialError) {
    var request = request
    request.sortDescriptors = values
    try self.init(request, section: nil, in: context)
  }

  /// What a request whose order is complete selects.
  private init<Object>(
    _ request: FetchRequest<Object>,
    section: FetchSort?,
    _ transientSection: String? = nil,
    in context: ManagedObjectContext
  ) throws(PerennialError) {
    self.section = section
    self.transientSection = transientSection
    store = try context.query(for: request)
    let model = context.store.model
    root = model.entities[store.entity].root
    countsEdits = request.includesPendingChanges
    reached = try QueryChecker(model).relatedEntities(of: store)
    paths = try ReachingPaths.paths(of: store, in: model)
  }

  private static func isTransient<Object>(
    _ key: String,
    _ request: FetchRequest<Object>,
    _ context: ManagedObjectContext
  ) -> Bool {
    let model = context.store.model
    guard let entity = model.entitiesByName[request.entityName].map({ model.entities[$0] }) else {
      return false
    }
    return entity.slot(named: key).map { entity.slots[$0].isTransient } ?? false
  }

  /// The sort that makes sections: as the request says, if it begins with it.
  private static func section(by keyPath: String, _ sorts: [FetchSort]) -> FetchSort {
    if let first = sorts.first, first.key == keyPath { return first }
    return FetchSort(keyPath)
  }

  /// The sorts with those in front that keep each section together.
  ///
  /// Under a sort that takes different texts for equal, sections would be mixed: the texts' bytes
  /// decide then.
  private static func order(by section: FetchSort, _ sorts: [FetchSort]) -> [FetchSort] {
    let rest = sorts.first?.key == section.key ? sorts.dropFirst() : sorts[...]
    guard section.comparison != .binary else { return [section] + rest }
    return [section, FetchSort(section.key, ascending: section.ascending)] + rest
  }

  /// Whether only a part of the rows is shown.
  var hasWindow: Bool { store.hasWindow }

  /// Whether rows of an entity may be shown.
  func shows(_ entity: Int, in model: ModelLayout) -> Bool {
    store.includesSubentities
      ? model.entities[store.entity].family.contains(entity) : entity == store.entity
  }
}

extension PerennialError {
  /// A list without an order.
  static func unsortedResults(_ entityName: String) -> PerennialError {
    PerennialError(
      .invalidRequest,
      "The request of a results controller for '\(entityName)' has no sort.",
      recovery: "sort it: Commit.sorted(by: \\.date), or name a sectionNameKeyPath",
      entity: entityName
    )
  }
}
