// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Console
import Foundation
public import Perennial

/// What happened to the rows of a list at its last change, for a live list that shows it.
public struct ChangeMarks: Sendable {
  private var marks: [ManagedObjectID: LiveFrame.Mark] = [:]
  /// Where the first row that came or changed is, nil when there is none.
  public private(set) var focus: LiveFrame.Place?

  /// The marks of a list that has not changed.
  public init() {}

  /// The marks after a change; the list itself, which comes first, has none.
  public init(_ change: ResultsChange) {
    guard !change.isInitial else { return }
    for event in change.events {
      switch event {
      case .sectionDelete, .sectionInsert, .delete: continue
      case .insert(let id, let path): note(id, .inserted, at: path)
      case .move(let id, _, let path), .update(let id, _, let path): note(id, .updated, at: path)
      }
    }
  }

  /// What happened to an object.
  public subscript(id: ManagedObjectID) -> LiveFrame.Mark { marks[id] ?? .none }

  /// The objects that something happened to.
  public var objectIDs: some Collection<ManagedObjectID> { marks.keys }

  private mutating func note(_ id: ManagedObjectID, _ mark: LiveFrame.Mark, at path: IndexPath) {
    marks[id] = mark
    focus = focus ?? LiveFrame.Place(section: path[0], row: path[1])
  }
}
