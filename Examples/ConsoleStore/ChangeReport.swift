// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
import Foundation
public import Perennial

/// What the changes of a list are for a program that reads them line by line.
///
/// The text of a row is kept, so that a deletion can say what went.
@MainActor
public final class ChangeReport<Element: ManagedObject> {
  private let controller: FetchedResultsController<Element>
  private let describe: (Element) -> (line: String, json: JSONValue)
  private var rows: [ManagedObjectID: (line: String, json: JSONValue)] = [:]

  /// Makes a report.
  ///
  /// - Parameters:
  ///   - controller: The list, which has been fetched.
  ///   - describe: An object as a line and as JSON.
  public init(
    _ controller: FetchedResultsController<Element>,
    describe: @escaping (Element) -> (line: String, json: JSONValue)
  ) {
    self.controller = controller
    self.describe = describe
  }

  /// One line for everything that a change tells of: `+` new, `-` gone, `~` different, `>` moved.
  ///
  /// The first change, which is the list itself, has no lines.
  public func lines(of change: ResultsChange) -> [(line: String, json: JSONValue)] {
    if change.isInitial {
      rows = [:]
      for object in controller.fetchedObjects.map(Array.init) ?? [] {
        rows[object.objectID] = describe(object)
      }
      return []
    }
    return change.events.compactMap { event in
      switch event {
      case .sectionDelete, .sectionInsert: nil
      case .delete(let id, _): report("-", "delete", rows.removeValue(forKey: id))
      case .insert(let id, _): report("+", "insert", row(id))
      case .move(let id, _, _): report(">", "move", row(id))
      case .update(let id, _, _): report("~", "update", row(id))
      }
    }
  }

  /// The row as it is now; the last known one when the object is gone by now.
  private func row(_ id: ManagedObjectID) -> (line: String, json: JSONValue)? {
    let context = controller.managedObjectContext
    if let object = try? context.object(Element.self, with: id), !object.isDeleted {
      rows[id] = describe(object)
    }
    return rows[id]
  }

  private func report(
    _ sign: String,
    _ name: String,
    _ row: (line: String, json: JSONValue)?
  ) -> (line: String, json: JSONValue)? {
    row.map { ("\(sign) \($0.line)", ["event": .string(name), "row": $0.json]) }
  }
}
