// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

/// What happened to an object or a section of a results controller's list.
///
/// Core Data: `NSFetchedResultsChangeType`.
public enum FetchedResultsChangeType: UInt, Sendable {
  /// It came.
  case insert = 1
  /// It went.
  case delete = 2
  /// The object has another place among the others, or another section; it may have changed too.
  case move = 3
  /// The object may have changed, and kept its place among the others.
  case update = 4
}

/// Who is told of the changes of a results controller's list.
///
/// Every method has a default body that does nothing: write those that you need. The methods come in this
/// order, and once for each batch of changes: will change, sections, objects, did change. In all of them
/// the controller shows the new list already.
///
/// A delegate that has the method for snapshots is told by that one only; else one that has the method
/// for differences, of a list without sections, by that one only.
///
/// In a class of an actor write the conformance with the actor in front:
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

  /// The list has changed; what follows says how.
  ///
  /// - Parameter controller: The controller, which shows the new list.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Element>)

  /// A section came or went.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - sectionInfo: The section, of the list after an insertion, of that before a deletion.
  ///   - sectionIndex: Its place, after an insertion and before a deletion.
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

  /// All changes have been told.
  ///
  /// - Parameter controller: The controller.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Element>)

  /// The list is now this; also called after a fetch.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - snapshot: The whole list as IDs.
  func controller(
    _ controller: FetchedResultsController<Element>,
    didChangeContentWith snapshot: ResultsSnapshot
  )

  /// The IDs of a list without sections have changed like this.
  ///
  /// An object that comes before it is saved comes with its temporary ID; snapshots have permanent ones.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - difference: What ``ResultsChange/difference`` says: a moved or changed row is removed and inserted.
  func controller(
    _ controller: FetchedResultsController<Element>,
    didChangeContentWith difference: CollectionDifference<ManagedObjectID>
  )

  /// The title of a section in an index beside the list.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - sectionName: The section's name, as ``FetchedResultsSectionInfo/name`` has it.
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
  ///   - snapshot: The list, which is not looked at.
  public func controller(
    _ controller: FetchedResultsController<Element>,
    didChangeContentWith snapshot: ResultsSnapshot
  ) { controller.absentMethods.insert(.snapshot) }

  /// Tells the controller that the delegate takes no differences.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - difference: The change, which is not looked at.
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
