// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
import PerennialStore

/// A list of objects, in sections, that is kept in step with its context and tells what changes.
///
/// ```swift
/// let controller = FetchedResultsController(
///   fetchRequest: Commit.sorted(by: \.date, .reverse).batchSize(20),
///   managedObjectContext: container.viewContext,
///   sectionNameKeyPath: "author.name")
/// controller.delegate = self
/// try controller.performFetch()
/// ```
///
/// The list changes at the end of an event: with ``ManagedObjectContext/processPendingChanges()``, which
/// fetches and saves make too and a view context makes by itself, and when changes of other contexts are
/// merged. It follows unsaved changes, saves, merges, refreshes and undo, of its own objects and of those
/// that its condition, its sorts and its section key path go through; in a child context also what
/// happens in the contexts above. A request's limit stays one: what a new row pushes out of the window is
/// deleted from the list.
///
/// **Sections** are the rows that have the same value at the section key path, as text; no value and an
/// empty text make one section without a name. The path is put in front of the sorts unless it is the
/// first already, so that no section comes twice; a first sort that takes different texts for equal, by
/// case for instance, is followed by their bytes. A transient attribute makes sections, too: all objects
/// are loaded for it, and a section is where the first of its rows is in the order of the sorts.
///
/// **Who is told**: the ``delegate``, and everybody who reads ``changes``. Without any of them the list
/// stays as it was fetched, and costs nothing. All controllers of a context are brought up to date before
/// any delegate is called; in a delegate's methods the controller shows the new list. A delegate may
/// change objects, which belongs to the next event, save, and fetch. What it causes is told when its
/// method has returned, never in between.
///
/// Isolation: a controller belongs to its context, as objects do, and keeps it alive.
///
/// Core Data: `NSFetchedResultsController`.
public final class FetchedResultsController<Element: ManagedObject> {
  /// What is fetched; a change counts from the next ``performFetch(reportingChanges:)`` on.
  public var fetchRequest: FetchRequest<Element>
  /// The context whose objects are shown.
  public let managedObjectContext: ManagedObjectContext
  /// The key path whose values make sections: an attribute, stored or transient, or a stored one that
  /// to-one relationships lead to.
  public let sectionNameKeyPath: String?
  /// The name that the controller was given for a cache.
  ///
  /// There is none: sections are computed by the store with the fetch.
  public let cacheName: String?

  let tracker: ResultsTracker
  /// Who reads ``changes``.
  var streams: [Int: AsyncStream<ResultsChange>.Continuation] = [:]
  var lastStream = 0
  /// What a call to the delegate found to be not implemented.
  var absentMethods: AbsentMethods = []
  /// What was made of the list, until it changes.
  private var shown:
    (version: Int, list: BatchedList, sections: [FetchedResultsSectionInfo<Element>]?)?
  private var prefetches: [Prefetch] = []
  private var batchSize = 0

  /// Who is told of changes; setting it makes the list follow them.
  ///
  /// Core Data: `NSFetchedResultsController.delegate`.
  public weak var delegate: (any FetchedResultsControllerDelegate<Element>)? {
    didSet {
      absentMethods = []
      // Their titles are the delegate's.
      shown?.sections = nil
      updateTracking()
    }
  }

  /// A controller for a request; ``performFetch(reportingChanges:)`` fills it.
  ///
  /// - Parameters:
  ///   - fetchRequest: What to show. It needs a sort, or a section key path.
  ///   - context: The context.
  ///   - sectionNameKeyPath: The key path whose values make sections; `nil` for one section of all.
  ///   - cacheName: Accepted for programs that name one.
  ///   - isolation: The actor that the context belongs to: the caller's. The controller then hears of
  ///     changes by itself, soon after they were made, also in a context that is not the view context.
  public init(
    fetchRequest: FetchRequest<Element>,
    managedObjectContext context: ManagedObjectContext,
    sectionNameKeyPath: String? = nil,
    cacheName: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) {
    self.fetchRequest = fetchRequest
    managedObjectContext = context
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
    tracker = ResultsTracker(context)
    context.endsEvents(on: isolation)
    tracker.tell = { [weak self] in self?.tell($0) }
  }

  deinit { for stream in streams.values { stream.finish() } }

  // MARK: Fetching

  /// Fetches the list.
  ///
  /// The delegate is told of nothing, as in Core Data, unless it takes snapshots, the first of which
  /// comes now. Everybody who reads ``changes`` gets the whole list as one change that
  /// ``ResultsChange/isInitial``.
  ///
  /// Called by a delegate's method, it takes the place of what is being told: the rest of that is left
  /// out, but for ``FetchedResultsControllerDelegate/controllerDidChangeContent(_:)``. One that reports
  /// changes leaves nothing out: what it brings is told next.
  ///
  /// Core Data: `NSFetchedResultsController.performFetch()`.
  ///
  /// - Parameter reportingChanges: Whether the delegate and the readers of ``changes`` are told what the
  ///   new list has that the one before had not: for another condition or sort of the same list.
  /// - Throws: `invalidRequest` (200,008) for a request without a sort, `unknownName` (200,003) for a
  ///   section key path that is no attribute, and as ``ManagedObjectContext/fetch(_:file:line:)``. The list is
  ///   then as before.
  /// - Complexity: One statement, and time and memory in the number of identities: 8 bytes each.
  public func performFetch(reportingChanges: Bool = false) throws(PerennialError) {
    let context = managedObjectContext
    let query = try ResultsQuery(fetchRequest, sectionKeyPath: sectionNameKeyPath, in: context)
    let prefetches = try context.prefetches(of: fetchRequest)
    try context.prepareToRead(showing: query.countsEdits ? query.store.entity : nil)
    try tracker.fetch(query, reportingChanges: reportingChanges)
    self.prefetches = prefetches
    batchSize = fetchRequest.fetchBatchSize
    tracker.deliver()
  }

  /// Whether the list has been fetched.
  var isFetched: Bool { tracker.list != nil }

  /// The list as IDs; `nil` before the first fetch.
  public var snapshot: ResultsSnapshot? { tracker.list.map { ResultsSnapshot($0) } }

  // MARK: Objects

  /// The objects in their order, across the sections, whose rows are loaded when they are looked at;
  /// `nil` before the first fetch.
  ///
  /// Core Data: `NSFetchedResultsController.fetchedObjects`.
  public var fetchedObjects: FetchResultsCollection<Element>? {
    batchedList.map { FetchResultsCollection($0) }
  }

  /// The sections in their order; `nil` before the first fetch, one without a name when there is no
  /// section key path.
  ///
  /// Core Data: `NSFetchedResultsController.sections`.
  ///
  /// - Complexity: O(1), but in the number of sections when the list has changed.
  public var sections: [FetchedResultsSectionInfo<Element>]? {
    guard let list = batchedList, let rows = tracker.list else { return nil }
    if let sections = shown?.sections { return sections }
    let sections = rows.sections.map { sectionInfo($0, list) }
    shown?.sections = sections
    return sections
  }

  /// The object at a place.
  ///
  /// Core Data: `NSFetchedResultsController.object(at:)`.
  ///
  /// - Parameter indexPath: Section and row, which must exist: ask ``sections``.
  /// - Returns: The object, whose batch is loaded if need be.
  public func object(at indexPath: IndexPath) -> Element {
    guard let list = batchedList, let rows = tracker.list else {
      preconditionFailure("object(at:) was called before performFetch().")
    }
    guard let row = rows.row(indexPath) else {
      preconditionFailure(
        "The results have no object at \(indexPath): see the counts in 'sections'."
      )
    }
    // Safe because the fetch has checked that the entity's class is `Element` or a subclass.
    return unsafeDowncast(list.object(at: row), to: Element.self)
  }

  /// Where an object is in the list.
  ///
  /// Core Data: `NSFetchedResultsController.indexPath(forObject:)`.
  ///
  /// - Parameter object: An object of the controller's context.
  /// - Returns: Section and row; `nil` when it is not there, and before the first fetch.
  /// - Complexity: Linear in the number of objects, at a few billion a second.
  public func indexPath(forObject object: Element) -> IndexPath? {
    guard let rows = tracker.list else { return nil }
    let object = object._survivor ?? object
    guard object._home?.pointee.context === managedObjectContext else { return nil }
    return rows.references.firstIndex(of: object._reference).map(rows.indexPath(ofRow:))
  }

  /// The list of objects for the list of identities as it is now.
  private var batchedList: BatchedList? {
    guard let rows = tracker.list, let query = tracker.query else { return nil }
    if let shown, shown.version == tracker.version { return shown.list }
    let list = batchedList(rows, query, after: shown?.list)
    shown = (tracker.version, list, nil)
    return list
  }

  private func batchedList(
    _ rows: ResultsList,
    _ query: ResultsQuery,
    after older: BatchedList?
  ) -> BatchedList {
    BatchedList(
      context: managedObjectContext,
      references: rows.references,
      root: query.root,
      batchSize: batchSize > 0 ? batchSize : max(1, rows.references.count),
      prefetches: prefetches,
      after: older
    )
  }

  /// A section of a list that was told.
  func sectionInfo(_ place: Int, of snapshot: ResultsSnapshot) -> FetchedResultsSectionInfo<
    Element
  >? {
    let rows = snapshot.list
    guard let query = tracker.query, rows.sections.indices.contains(place) else { return nil }
    return sectionInfo(rows.sections[place], batchedList(rows, query, after: nil))
  }

  private func sectionInfo(
    _ section: ResultsList.Section,
    _ list: BatchedList
  ) -> FetchedResultsSectionInfo<Element> {
    FetchedResultsSectionInfo(
      name: section.name,
      indexTitle: sectionIndexTitle(forSectionName: section.name),
      objects: FetchResultsCollection(list, rows: section.range)
    )
  }

  /// Does nothing, as there is no cache.
  ///
  /// Core Data: `NSFetchedResultsController.deleteCache(withName:)`.
  ///
  /// - Parameter name: Accepted for programs that name one.
  public static func deleteCache(withName name: String?) {}

  // MARK: Following

  /// Makes the list follow its context as long as somebody wants to know.
  func updateTracking() {
    tracker.isTracked = delegate != nil || !streams.isEmpty
    tracker.wantsPermanentIDs = !streams.isEmpty || delegateTakesIDs
  }
}

@available(*, unavailable, message: "a controller stays with its context; send its changes")
extension FetchedResultsController: Sendable {}
