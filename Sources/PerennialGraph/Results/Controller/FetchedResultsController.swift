// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
import PerennialStore

/// A list of objects, in sections, that follows its context and reports what changes.
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
/// The list changes at the end of an event: with ``ManagedObjectContext/processPendingChanges()``, which fetches
/// and saves call too and a view context calls by itself, and when changes of other contexts are merged. It follows
/// unsaved changes, saves, merges, refreshes and undo, both of its own objects and of the related objects that its
/// condition, its sorts and its section key path go through. In a child context it also follows what happens in the
/// contexts above. A request's limit stays a limit: a row that a new one pushes out of the window is deleted from
/// the list.
///
/// **Sections** group the rows that have the same value at the section key path, as text. Objects without a value
/// and objects with an empty text form one section without a name. The controller sorts by the section key path
/// first, unless that is the first sort already, so that no section comes twice. When the first sort takes
/// different texts for equal, by case for instance, a sort by their bytes follows it. A transient attribute can
/// make sections, too: all objects are loaded for it, and a section is where its first row is in the order of the
/// sorts.
///
/// **Who is told**: the ``delegate``, and every reader of ``changes``. Without any of them the list stays as it was
/// fetched, and costs nothing. All controllers of a context are brought up to date before any delegate is called;
/// in a delegate's methods the controller shows the new list. A delegate may save and fetch. It may also change
/// objects, which belongs to the next event. What it causes is reported after its method has returned, never in
/// between.
///
/// Isolation: a controller belongs to its context, as objects do, and keeps it alive.
///
/// Core Data: `NSFetchedResultsController`.
public final class FetchedResultsController<Element: ManagedObject> {
  /// The request to fetch; a new value takes effect at the next ``performFetch(reportingChanges:)``.
  public var fetchRequest: FetchRequest<Element>
  /// The context whose objects are shown.
  public let managedObjectContext: ManagedObjectContext
  /// The key path whose values make sections: a stored or transient attribute, or a stored attribute that to-one
  /// relationships lead to.
  public let sectionNameKeyPath: String?
  /// The name that the controller was given for a cache.
  ///
  /// There is no cache: the store computes the sections with the fetch.
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

  /// The object that is told of changes; setting it makes the list follow its context.
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

  /// A controller for a request; call ``performFetch(reportingChanges:)`` to fill it.
  ///
  /// - Parameters:
  ///   - fetchRequest: The request for the objects to show. Without a section key path, it needs a sort.
  ///   - context: The context.
  ///   - sectionNameKeyPath: The key path whose values make sections; `nil` for one section of all objects.
  ///   - cacheName: Accepted for programs that name a cache; it has no effect.
  ///   - isolation: The actor that the context belongs to: the caller's. With an actor, the controller learns of
  ///     changes by itself, soon after they are made, even if the context is not the view context.
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
  /// As in Core Data, the delegate is told nothing, unless it takes snapshots: it gets the first one now. Every
  /// reader of ``changes`` gets the whole list as one change whose ``ResultsChange/isInitial`` is true.
  ///
  /// When a delegate's method calls this one, the new list takes the place of the report in progress. The rest of
  /// that report is left out, except for ``FetchedResultsControllerDelegate/controllerDidChangeContent(_:)``. If
  /// changes are to be reported, nothing is left out: those that the fetch brings are reported next.
  ///
  /// Core Data: `NSFetchedResultsController.performFetch()`.
  ///
  /// - Parameter reportingChanges: Whether the delegate and the readers of ``changes`` are told how the new list
  ///   differs from the one before: for another condition or sort of the same list.
  /// - Throws: `invalidRequest` (200008) for a request without a sort, `unknownName` (200003) for a section key
  ///   path that leads to no attribute; otherwise as ``ManagedObjectContext/fetch(_:file:line:)``. The list then
  ///   stays as it was.
  /// - Complexity: One statement; time and memory linear in the number of objects, 8 bytes for each.
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

  /// The objects in their order, across the sections; `nil` before the first fetch.
  ///
  /// Their rows are loaded when you look at them.
  ///
  /// Core Data: `NSFetchedResultsController.fetchedObjects`.
  public var fetchedObjects: FetchResultsCollection<Element>? {
    batchedList.map { FetchResultsCollection($0) }
  }

  /// The sections in their order; `nil` before the first fetch.
  ///
  /// Without a section key path there is one section, without a name.
  ///
  /// Core Data: `NSFetchedResultsController.sections`.
  ///
  /// - Complexity: O(1); linear in the number of sections when the list has changed.
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
  /// - Parameter indexPath: The section and the row, which must exist: see ``sections``.
  /// - Returns: The object; its batch is loaded if need be.
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

  /// The place of an object in the list.
  ///
  /// Core Data: `NSFetchedResultsController.indexPath(forObject:)`.
  ///
  /// - Parameter object: An object of the controller's context.
  /// - Returns: The section and the row; `nil` when the object is not in the list, and before the first fetch.
  /// - Complexity: Linear in the number of objects, at a few billion objects a second.
  public func indexPath(forObject object: Element) -> IndexPath? {
    guard let rows = tracker.list else { return nil }
    let object = object._survivor ?? object
    guard object._home?.pointee.context === managedObjectContext else { return nil }
    let reference = object._reference
    // An object that has been saved since the list was read has another key there.
    let row =
      rows.references.firstIndex(of: reference)
      ?? rows.references.firstIndex {
        $0.key < 0 && managedObjectContext.current($0) == reference
      }
    return row.map(rows.indexPath(ofRow:))
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

  /// Does nothing, because there is no cache.
  ///
  /// Core Data: `NSFetchedResultsController.deleteCache(withName:)`.
  ///
  /// - Parameter name: Accepted for programs that name a cache.
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
