// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

extension ManagedObjectContext {
  /// A results controller for a request, with its list fetched.
  ///
  /// ```swift
  /// let results = try context.results(Commit.sorted(by: \.date, .reverse), sectionedBy: "author.name")
  /// for await change in results.changes { table.apply(change) }
  /// ```
  ///
  /// - Parameters:
  ///   - request: What to show.
  ///   - keyPath: The key path whose values make sections; `nil` for one section of all objects.
  ///   - isolation: The actor that the context belongs to: the caller's.
  /// - Returns: The controller.
  /// - Throws: As ``FetchedResultsController/performFetch(reportingChanges:)``.
  public func results<Object>(
    _ request: FetchRequest<Object>,
    sectionedBy keyPath: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) throws(PerennialError) -> FetchedResultsController<Object> {
    let controller = FetchedResultsController(
      fetchRequest: request,
      managedObjectContext: self,
      sectionNameKeyPath: keyPath,
      isolation: isolation
    )
    try controller.performFetch()
    return controller
  }

  /// A results controller for a request, with its list fetched, in sections by an attribute.
  ///
  /// - Parameters:
  ///   - request: What to show.
  ///   - keyPath: The attribute whose values make sections.
  ///   - isolation: The actor that the context belongs to: the caller's.
  /// - Returns: The controller.
  /// - Throws: As ``FetchedResultsController/performFetch(reportingChanges:)``; `unknownName` (200003) for a key
  ///   path that leads to no attribute.
  public func results<Object, Value>(
    _ request: FetchRequest<Object>,
    sectionedBy keyPath: KeyPath<Object, Value>,
    isolation: isolated (any Actor)? = #isolation
  ) throws(PerennialError) -> FetchedResultsController<Object> {
    try results(request, sectionedBy: Object.name(of: keyPath), isolation: isolation)
  }

  /// A results controller for a request, with its list fetched, in sections by an attribute of a related object.
  ///
  /// ```swift
  /// let results = try context.results(Commit.sorted(by: \.date), sectionedBy: \.author, \.name)
  /// ```
  ///
  /// - Parameters:
  ///   - request: What to show.
  ///   - relationship: A to-one relationship.
  ///   - keyPath: The attribute of the related object whose values make sections.
  ///   - isolation: The actor that the context belongs to: the caller's.
  /// - Returns: The controller.
  /// - Throws: As ``FetchedResultsController/performFetch(reportingChanges:)``; `unknownName` (200003) for key
  ///   paths that lead to no relationship or no attribute.
  public func results<Object, Destination: ManagedObject, Value>(
    _ request: FetchRequest<Object>,
    sectionedBy relationship: KeyPath<Object, Destination?>,
    _ keyPath: KeyPath<Destination, Value>,
    isolation: isolated (any Actor)? = #isolation
  ) throws(PerennialError) -> FetchedResultsController<Object> {
    let name = Object.name(of: relationship) + "." + Destination.name(of: keyPath)
    return try results(request, sectionedBy: name, isolation: isolation)
  }
}
