// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

/// A copy of a list of results that you keep up to date by applying changes, as a view does with its rows.
///
/// It applies what a change reports, never the list that comes with the change. So it shows that a change is
/// complete, and a program without a table view can keep the rows that it draws.
///
/// ```swift
/// var replica = ResultsReplica()
/// for await change in controller.changes { try replica.apply(change) }
/// ```
public struct ResultsReplica: Sendable, Equatable {
  /// A section of the copy.
  public struct Section: Sendable, Hashable {
    /// The section's name.
    public let name: String
    /// The IDs of its objects in their order.
    public fileprivate(set) var objectIDs: [ManagedObjectID]
  }

  /// The sections in their order.
  public private(set) var sections: [Section] = []

  /// A copy without sections: what the first change after a fetch begins with.
  public init() {}

  /// A copy of a list.
  ///
  /// - Parameter snapshot: The list. The next change to apply must have it as its ``ResultsChange/before``.
  /// - Complexity: Time and memory linear in the number of objects.
  public init(_ snapshot: ResultsSnapshot) {
    sections = snapshot.sections.map { Section(name: $0.name, objectIDs: Array($0.objectIDs)) }
  }

  /// The IDs of all objects, across the sections.
  public var objectIDs: [ManagedObjectID] { sections.flatMap(\.objectIDs) }

  /// The ID at a place.
  ///
  /// - Parameter indexPath: The section, then the row in it.
  /// - Returns: The ID; `nil` when there is no such place.
  public subscript(indexPath: IndexPath) -> ManagedObjectID? {
    guard let (section, row) = indexPath.sectionAndRow, sections.indices.contains(section),
      sections[section].objectIDs.indices.contains(row)
    else { return nil }
    return sections[section].objectIDs[row]
  }

  /// Whether the copy equals a snapshot.
  ///
  /// - Parameter snapshot: The list to compare with.
  /// - Returns: `true` when both have the same IDs in sections of the same names, all in the same order.
  /// - Complexity: Linear in the number of objects.
  public func matches(_ snapshot: ResultsSnapshot) -> Bool {
    sections.count == snapshot.sections.count
      && zip(sections, snapshot.sections).allSatisfy {
        $0.name.utf8.elementsEqual($1.name.utf8) && $0.objectIDs.elementsEqual($1.objectIDs)
      }
  }

  /// Applies what a change reports.
  ///
  /// A list that was fetched anew comes as a whole, in a change whose ``ResultsChange/isInitial`` is true: the copy
  /// begins again with it.
  ///
  /// - Parameter change: The change that follows the last one that was applied.
  /// - Throws: `unfittingChange` (200020) when the change does not belong to this list, or does not add up; the
  ///   copy then stays as it was.
  /// - Complexity: Linear in the number of sections, and in the rows of those where rows come or go.
  public mutating func apply(_ change: ResultsChange) throws(PerennialError) {
    let former = change.isInitial ? Self() : self
    var edits = Edits()
    for event in change.events { try former.add(event, to: &edits) }
    let copy = Self(sections: try former.sections(after: edits))
    for (id, path) in edits.expected where copy[path] != id {
      throw .unfitting("an updated row", path)
    }
    self = copy
  }

  /// Applies updates as a table view does.
  ///
  /// Only new rows and new sections are looked up in ``ResultsTableUpdates/after``, as a view asks its data source
  /// for them. At the end, the numbers of rows must be the same as there.
  ///
  /// - Parameter updates: The updates of the change that follows the last one that was applied.
  /// - Throws: `unfittingChange` (200020) when a table view would refuse the updates; the copy then stays as it
  ///   was.
  /// - Complexity: Linear in the number of sections, and in the rows of those where rows come or go.
  public mutating func apply(_ updates: ResultsTableUpdates) throws(PerennialError) {
    let sections = try sections(after: try edits(of: updates))
    guard sections.map(\.objectIDs.count) == updates.after.sections.map(\.numberOfObjects) else {
      throw .unfitting("the number of rows", [])
    }
    self.sections = sections
  }

  private init(sections: [Section]) { self.sections = sections }
}

extension ResultsReplica {
  /// What is to be done, taken apart.
  private struct Edits {
    var deletedSections: [Int] = []
    var insertedSections: [(place: Int, element: Section)] = []
    /// Whether deleted sections take rows with them.
    var deletesRowsOfSections = false
    var departures: [IndexPath] = []
    var arrivals: [(path: IndexPath, id: ManagedObjectID)] = []
    /// What must be found in the end.
    var expected: [(id: ManagedObjectID, path: IndexPath)] = []
  }

  private func add(_ event: ResultsChange.Event, to edits: inout Edits) throws(PerennialError) {
    switch event {
    case .sectionDelete(let place, let name):
      guard sections.indices.contains(place),
        sections[place].name.utf8.elementsEqual(name.utf8)
      else {
        throw .unfitting("a deleted section", IndexPath(index: place))
      }
      edits.deletedSections.append(place)
    case .sectionInsert(let place, let name):
      edits.insertedSections.append((place, Section(name: name, objectIDs: [])))
    case .delete(let id, let path):
      try expect(id, at: path)
      edits.departures.append(path)
    case .insert(let id, let path):
      edits.arrivals.append((path, id))
    case .move(let id, let from, let to):
      try expect(id, at: from)
      edits.departures.append(from)
      edits.arrivals.append((to, id))
    case .update(let id, let from, let to):
      try expect(id, at: from)
      edits.expected.append((id, to))
    }
  }

  private func expect(_ id: ManagedObjectID, at path: IndexPath) throws(PerennialError) {
    guard self[path] == id else { throw .unfitting("a row", path) }
  }

  private func edits(of updates: ResultsTableUpdates) throws(PerennialError) -> Edits {
    var edits = Edits()
    edits.deletesRowsOfSections = true
    edits.deletedSections = Array(updates.deletedSections)
    for place in updates.insertedSections {
      guard updates.after.sections.indices.contains(place) else {
        throw .unfitting("an inserted section", IndexPath(index: place))
      }
      let section = updates.after.sections[place]
      let new = Section(name: section.name, objectIDs: Array(section.objectIDs))
      edits.insertedSections.append((place, new))
    }
    edits.departures = updates.deletedRows + updates.movedRows.map(\.from)
    for path in edits.departures + updates.reloadedRows {
      guard self[path] != nil, !updates.deletedSections.contains(path[0]) else {
        throw .unfitting("a row", path)
      }
    }
    // A view refuses to reload a row that it deletes or moves.
    guard Set(edits.departures).isDisjoint(with: updates.reloadedRows) else {
      throw .unfitting("a reloaded row", updates.reloadedRows.first ?? [])
    }
    for path in updates.insertedRows {
      guard let id = updates.after[path] else { throw .unfitting("an inserted row", path) }
      edits.arrivals.append((path, id))
    }
    for move in updates.movedRows {
      guard let id = self[move.from] else { throw .unfitting("a moved row", move.from) }
      edits.arrivals.append((move.to, id))
    }
    for (path, _) in edits.arrivals where updates.insertedSections.contains(path[0]) {
      throw .unfitting("a row of an inserted section", path)
    }
    return edits
  }

  private func sections(after edits: Edits) throws(PerennialError) -> [Section] {
    var sections = sections
    for (section, paths) in Dictionary(grouping: edits.departures, by: { $0[0] }) {
      guard let rest = sections[section].objectIDs.removing(paths.map { $0[1] }) else {
        throw .unfitting("a row that leaves twice in section", IndexPath(index: section))
      }
      sections[section].objectIDs = rest
    }
    for place in edits.deletedSections where !edits.deletesRowsOfSections {
      guard sections[place].objectIDs.isEmpty else {
        throw .unfitting("a deleted section that has rows", IndexPath(index: place))
      }
    }
    guard let kept = sections.removing(edits.deletedSections),
      let all = kept.merging(edits.insertedSections)
    else { throw .unfitting("the sections", []) }
    sections = all
    for (section, rows) in Dictionary(grouping: edits.arrivals, by: { $0.path.first ?? -1 }) {
      guard sections.indices.contains(section), rows.allSatisfy({ $0.path.count == 2 }),
        let merged = sections[section].objectIDs.merging(rows.map { ($0.path[1], $0.id) })
      else { throw .unfitting("the new rows of section", IndexPath(index: section)) }
      sections[section].objectIDs = merged
    }
    return sections
  }
}

extension Array {
  /// The elements without those of some places; `nil` when a place does not exist or comes twice.
  fileprivate func removing(_ places: [Int]) -> [Element]? {
    let leaving = Set(places)
    guard leaving.count == places.count, leaving.allSatisfy(indices.contains) else { return nil }
    return enumerated().filter { !leaving.contains($0.offset) }.map(\.element)
  }

  /// The elements with others between them, each at a place of the result; `nil` when that cannot be.
  fileprivate func merging(_ arrivals: [(place: Int, element: Element)]) -> [Element]? {
    var merged: [Element] = []
    merged.reserveCapacity(count + arrivals.count)
    var rest = makeIterator()
    for arrival in arrivals.sorted(by: { $0.place < $1.place }) {
      while merged.count < arrival.place {
        guard let element = rest.next() else { return nil }
        merged.append(element)
      }
      guard merged.count == arrival.place else { return nil }
      merged.append(arrival.element)
    }
    while let element = rest.next() { merged.append(element) }
    return merged
  }
}

extension PerennialError {
  fileprivate static func unfitting(_ what: String, _ path: IndexPath) -> PerennialError {
    let place = path.map(String.init).joined(separator: ".")
    return PerennialError(
      .unfittingChange,
      "A change does not fit the list it is applied to: \(what) \(place).",
      recovery: "Apply every change once, in order, to a replica that began with the first one's"
        + " 'before'."
    )
  }
}
