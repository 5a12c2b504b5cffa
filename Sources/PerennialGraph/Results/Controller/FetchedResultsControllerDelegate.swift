// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

/// What happened to an object or a section of a results controller's list.
///
/// Core Data: `NSFetchedResultsChangeType`.
public enum FetchedResultsChangeType: UInt, Sendable {
  /// The object or section came.
  case insert = 1
  /// The object or section went.
  case delete = 2
  /// The object has a new place among the others, or a new section; its values may have changed, too.
  case move = 3
  /// The object's values may have changed; it kept its place among the others.
  case update = 4
}

/// An object that is told of the changes of a results controller's list.
///
/// Every method has a default body that does nothing: write those that you need. For each batch of changes, the
/// methods are called in this order: will change, sections, objects, did change. In all of them the controller
/// already shows the new list.
///
/// If a delegate has the method for snapshots, only that one is called. Otherwise, if it has the method for
/// differences, and the list is one without sections, only that one is called.
///
/// In a class that belongs to an actor, write the conformance with the actor in front:
///
/// ```swift
/// @MainActor final class CommitList: @MainActor FetchedResultsControllerDelegate {
///   func controllerDidChangeContent(_ controller: FetchedResultsController<Commit>) { reload() }
/// }
/// ```
///
/// Core Data: `NSFetchedResultsControllerDelegate`.
public protocol FetchedResultsControllerDelegate<Element>: AnyObject {
  /// The class of the objects.
  associatedtype Element: ManagedObject

  /// The list has changed; the calls that follow say how.
  ///
  /// - Parameter controller: The controller, which shows the new list.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Element>)

  /// A section came or went.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - sectionInfo: The section: for an insertion that of the list after the change, for a deletion that of the
  ///     list before.
  ///   - sectionIndex: Its place: for an insertion after the change, for a deletion before it.
  ///   - type: `insert` or `delete`.
  func controller(
    _ controller: FetchedResultsController<Element>,
    didChange sectionInfo: FetchedResultsSectionInfo<Element>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  )

  /// An object came, went, moved, or changed in its place.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - anObject: The object; a deleted one may be gone.
  ///   - indexPath: Its place before; `nil` for an insertion.
  ///   - type: What happened.
  ///   - newIndexPath: Its place after; `nil` for a deletion.
  func controller(
    _ controller: FetchedResultsController<Element>,
    didChange anObject: Element,
    at indexPath: IndexPath?,
    for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?
  )

  /// All changes have been reported.
  ///
  /// - Parameter controller: The controller.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Element>)

  /// The list is now that of the snapshot; also called after a fetch.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - snapshot: The whole list as IDs.
  func controller(
    _ controller: FetchedResultsController<Element>,
    didChangeContentWith snapshot: ResultsSnapshot
  )

  /// The IDs of a list without sections have changed, as the difference says.
  ///
  /// An object that joins the list before it is saved has its temporary ID here; snapshots have permanent IDs.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - difference: The change as ``ResultsChange/difference`` describes it: a moved or changed row is removed and
  ///     inserted.
  func controller(
    _ controller: FetchedResultsController<Element>,
    didChangeContentWith difference: CollectionDifference<ManagedObjectID>
  )

  /// The title of a section in an index beside the list.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - sectionName: The section's name, as ``FetchedResultsSectionInfo/name`` gives it.
  /// - Returns: The title; `nil` for the name's first letter as a capital.
  func controller(
    _ controller: FetchedResultsController<Element>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

extension FetchedResultsControllerDelegate {
  /// Does nothing.
  ///
  /// - Parameter controller: The controller.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Element>) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - sectionInfo: The section.
  ///   - sectionIndex: Its place.
  ///   - type: `insert` or `delete`.
  public func controller(
    _ controller: FetchedResultsController<Element>,
    didChange sectionInfo: FetchedResultsSectionInfo<Element>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) {}

  /// Does nothing.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - anObject: The object.
  ///   - indexPath: Its place before; `nil` for an insertion.
  ///   - type: What happened.
  ///   - newIndexPath: Its place after; `nil` for a deletion.
  public func controller(
    _ controller: FetchedResultsController<Element>,
    didChange anObject: Element,
    at indexPath: IndexPath?,
    for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {}

  /// Does nothing.
  ///
  /// - Parameter controller: The controller.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Element>) {}

  /// Tells the controller that the delegate takes no snapshots.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - snapshot: The list, which is ignored.
  public func controller(
    _ controller: FetchedResultsController<Element>,
    didChangeContentWith snapshot: ResultsSnapshot
  ) { controller.absentMethods.insert(.snapshot) }

  /// Tells the controller that the delegate takes no differences.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - difference: The change, which is ignored.
  public func controller(
    _ controller: FetchedResultsController<Element>,
    didChangeContentWith difference: CollectionDifference<ManagedObjectID>
  ) { controller.absentMethods.insert(.difference) }

  /// Leaves the title to the controller.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - sectionName: The section's name.
  /// - Returns: `nil`: the title is the name's first letter as a capital.
  public func controller(
    _ controller: FetchedResultsController<Element>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }
}
