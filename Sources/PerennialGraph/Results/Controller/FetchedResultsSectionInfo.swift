// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// A section of a results controller's list, as it was when you asked for it.
///
/// Core Data: `NSFetchedResultsSectionInfo`.
public struct FetchedResultsSectionInfo<Element: ManagedObject> {
  /// The value that the objects have in common, as text; empty when there is none, and in a list without sections.
  ///
  /// Numbers are written as Swift writes them, truth values as 1 and 0, dates as ISO 8601 in UTC.
  public let name: String
  /// The title in an index of sections: the one that the delegate gives, or the name's first letter as a capital;
  /// `nil` when there is neither.
  public let indexTitle: String?
  /// The objects in their order; their rows are loaded when you look at them.
  public let objects: FetchResultsCollection<Element>

  /// The number of objects.
  public var numberOfObjects: Int { objects.count }
}

@available(
  *,
  unavailable,
  message: "a section stays with its context; send the controller's changes"
)
extension FetchedResultsSectionInfo: Sendable {}

extension FetchedResultsController {
  /// The titles in an index beside the list, one for each section, equal ones included; `[]` before the first
  /// fetch.
  ///
  /// Core Data: `NSFetchedResultsController.sectionIndexTitles`.
  public var sectionIndexTitles: [String] {
    (tracker.list?.sections ?? []).map { sectionIndexTitle(forSectionName: $0.name) ?? "" }
  }

  /// The section that a title of the index stands for.
  ///
  /// Core Data: `NSFetchedResultsController.section(forSectionIndexTitle:at:)`.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - index: The title's place in ``sectionIndexTitles``.
  /// - Returns: The section at that place. If it has another title: the first section that has this one, or else
  ///   the nearest place.
  public func section(forSectionIndexTitle title: String, at index: Int) -> Int {
    let titles = sectionIndexTitles
    if titles.indices.contains(index), titles[index] == title { return index }
    return titles.firstIndex(of: title) ?? max(0, min(index, titles.count - 1))
  }

  /// The title of a section in the index: the one that the delegate gives, or the name's first letter as a capital.
  ///
  /// Core Data: `NSFetchedResultsController.sectionIndexTitle(forSectionName:)`.
  ///
  /// - Parameter name: The section's name.
  /// - Returns: The title; `nil` for an empty name that the delegate has no title for.
  public func sectionIndexTitle(forSectionName name: String) -> String? {
    delegate?.controller(self, sectionIndexTitleForSectionName: name)
      ?? name.first.map { $0.uppercased() }
  }
}
