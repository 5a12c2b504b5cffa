// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

/// What a list of results held at one time: the objects' IDs in their order, divided into sections.
///
/// It is a value, and may go to any isolation. It is made in constant time, and copies share its rows. A row takes
/// 8 bytes: IDs are made when they are asked for, and no object is loaded. Two snapshots are equal when they have
/// the same IDs in the same sections.
///
/// UIKit: `NSDiffableDataSourceSnapshot` with sections by name.
public struct ResultsSnapshot: Sendable {
  let list: ResultsList

  init(_ list: ResultsList) { self.list = list }

  /// The number of objects in all sections.
  public var numberOfObjects: Int { list.references.count }

  /// The sections in their order.
  public var sections: Sections { Sections(list: list) }

  /// The IDs of all objects, across the sections.
  public var objectIDs: ObjectIDs { ObjectIDs(list: list, rows: 0..<list.references.count) }

  /// The ID of the object at a place.
  ///
  /// - Parameter indexPath: The section, then the row in it.
  /// - Returns: The ID; `nil` when the list has no such place.
  public subscript(indexPath: IndexPath) -> ManagedObjectID? {
    list.row(indexPath).map { list.objectID(of: list.references[$0]) }
  }

  /// The place of an object in the list.
  ///
  /// - Parameter objectID: The object's ID.
  /// - Returns: The section, then the row in it; `nil` when the object is not in the list.
  /// - Complexity: Linear in the number of objects, at a few billion objects a second.
  public func indexPath(for objectID: ManagedObjectID) -> IndexPath? {
    guard let reference = list.reference(of: objectID) else { return nil }
    return list.references.firstIndex(of: reference).map(list.indexPath(ofRow:))
  }
}

extension ResultsSnapshot: Equatable {
  /// Whether both have the same IDs in sections of the same names.
  ///
  /// - Parameters:
  ///   - left: A snapshot.
  ///   - right: Another one.
  /// - Returns: `true` when the sections, and the IDs in them, are equal in their order.
  /// - Complexity: O(1) for copies of one snapshot; otherwise linear in the number of objects.
  public static func == (left: Self, right: Self) -> Bool {
    let (left, right) = (left.list, right.list)
    guard left.sections == right.sections else { return false }
    // An object has the same ID before and after its save, but another reference.
    if left.naming.agrees(with: right.naming), left.references == right.references,
      left.temporaryIDs == right.temporaryIDs
    {
      return true
    }
    return ResultsSnapshot(left).objectIDs.elementsEqual(ResultsSnapshot(right).objectIDs)
  }
}

extension ResultsSnapshot {
  /// One section of a snapshot.
  public struct Section: Sendable, Identifiable {
    fileprivate let list: ResultsList
    fileprivate let index: Int

    /// The value that its objects have in common, as text; empty in a list without sections.
    public var name: String { list.sections[index].name }

    /// The name, which no other section of the list has, byte for byte.
    ///
    /// Swift takes some names for equal that differ in their bytes.
    public var id: String { name }

    /// The title in an index beside the list: the first letter of the name, as a capital; `nil` when the name is
    /// empty.
    public var indexTitle: String? { name.first.map { String($0).uppercased() } }

    /// The number of objects in the section.
    public var numberOfObjects: Int { list.sections[index].range.count }

    /// The IDs of the section's objects.
    public var objectIDs: ObjectIDs { ObjectIDs(list: list, rows: list.sections[index].range) }
  }

  /// The sections of a snapshot, made when they are asked for.
  public struct Sections: Sendable, RandomAccessCollection {
    fileprivate let list: ResultsList

    /// The first section: 0.
    public var startIndex: Int { 0 }

    /// The number of sections.
    public var endIndex: Int { list.sections.count }

    /// The section at a place, which must exist.
    ///
    /// - Parameter position: A place below ``endIndex``; any other ends the program.
    /// - Returns: The section.
    public subscript(position: Int) -> Section {
      precondition(indices.contains(position), "There is no section \(position).")
      return Section(list: list, index: position)
    }
  }

  /// The IDs of a list or a section, made when they are asked for.
  public struct ObjectIDs: Sendable, RandomAccessCollection {
    fileprivate let list: ResultsList
    fileprivate let rows: Range<Int>

    /// The first place: 0.
    public var startIndex: Int { 0 }

    /// The number of IDs.
    public var endIndex: Int { rows.count }

    /// The ID at a place, which must exist.
    ///
    /// - Parameter position: A place below ``endIndex``, which in a section counts from its first row; any other
    ///   ends the program.
    /// - Returns: The ID.
    public subscript(position: Int) -> ManagedObjectID {
      precondition(indices.contains(position), "There is no row \(position).")
      return list.objectID(of: list.references[rows.lowerBound + position])
    }
  }
}
