// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel

/// A list that knows nothing but what a results controller tells its delegate.
///
/// It keeps what it would show of every object, and looks again only at objects that it is told of.
final class ListMirror<Element: ManagedObject>: FetchedResultsControllerDelegate {
  struct Row: Equatable {
    var object: Element
    var text: String
  }

  struct Section: Equatable {
    let name: String
    var rows: [Row]
  }

  private(set) var sections: [Section] = []
  /// What was told, in words: `insert b 0.1`, `move a 0.0 0.2`, `section delete A 0`.
  private(set) var told: [String] = []
  /// What does not fit together.
  private(set) var complaints: [String] = []
  private var removals: [(path: IndexPath, object: Element)] = []
  private var arrivals: [(path: IndexPath, object: Element)] = []
  private var updates: [Element] = []
  private var deletedSections: [Int] = []
  private var insertedSections: [(place: Int, name: String)] = []
  private var isChanging = false
  private let name: (Element) -> String
  private let text: (Element) -> String

  init(name: @escaping (Element) -> String, text: @escaping (Element) -> String) {
    self.name = name
    self.text = text
  }

  /// Takes the list as it is.
  func reload(_ controller: FetchedResultsController<Element>) {
    told = []
    sections = (controller.sections ?? []).map { section in
      Section(name: section.name, rows: section.objects.map { Row(object: $0, text: text($0)) })
    }
  }

  /// What was told since the last time.
  func takeTold() -> [String] {
    defer { told = [] }
    return told
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController<Element>) {
    if isChanging { complaints.append("a batch inside a batch") }
    isChanging = true
    (removals, arrivals, updates) = ([], [], [])
    (deletedSections, insertedSections) = ([], [])
    told.append("will")
  }

  func controller(
    _ controller: FetchedResultsController<Element>,
    didChange sectionInfo: FetchedResultsSectionInfo<Element>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) {
    if !(removals.isEmpty && arrivals.isEmpty && updates.isEmpty) {
      complaints.append("a section after an object")
    }
    if type == .delete {
      deletedSections.append(sectionIndex)
    } else {
      insertedSections.append((sectionIndex, sectionInfo.name))
    }
    told.append("section \(type) \(sectionInfo.name) \(sectionIndex)")
  }

  func controller(
    _ controller: FetchedResultsController<Element>,
    didChange anObject: Element,
    at indexPath: IndexPath?,
    for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    let paths = [indexPath, newIndexPath].map { $0.map { "\($0[0]).\($0[1])" } ?? "-" }
    told.append("\(type) \(name(anObject)) \(paths.joined(separator: " "))")
    if type == .update { updates.append(anObject) }
    if type != .insert, let indexPath { check(anObject, at: indexPath) }
    if type == .delete || type == .move, let indexPath { removals.append((indexPath, anObject)) }
    if type == .insert || type == .move, let newIndexPath {
      arrivals.append((newIndexPath, anObject))
    }
    if let newIndexPath, controller.object(at: newIndexPath) !== anObject {
      complaints.append("the controller has another object than \(name(anObject)) at \(paths[1])")
    }
    if type == .move, indexPath == newIndexPath, let path = indexPath,
      sections[path[0]].name == controller.sections?[path[0]].name
    {
      complaints.append("a move with equal paths \(paths[0])")
    }
  }

  private func check(_ object: Element, at path: IndexPath) {
    guard sections.indices.contains(path[0]), sections[path[0]].rows.indices.contains(path[1]),
      isSame(sections[path[0]].rows[path[1]].object, object)
    else {
      complaints.append("\(name(object)) was not at \(path)")
      return
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Element>) {
    told.append("did")
    isChanging = false
    guard complaints.isEmpty else { return }
    for (path, _) in removals.sorted(by: { $0.path > $1.path }) {
      sections[path[0]].rows.remove(at: path[1])
    }
    for place in deletedSections.sorted(by: >) {
      if !sections[place].rows.isEmpty { complaints.append("section \(place) is not empty") }
      sections.remove(at: place)
    }
    for (place, name) in insertedSections.sorted(by: { $0.place < $1.place }) {
      guard place <= sections.count else {
        complaints.append("no place \(place) for a section")
        continue
      }
      sections.insert(Section(name: name, rows: []), at: place)
    }
    for (path, object) in arrivals.sorted(by: { $0.path < $1.path }) {
      guard path[0] < sections.count, path[1] <= sections[path[0]].rows.count else {
        complaints.append("no place \(path) for a row")
        continue
      }
      sections[path[0]].rows.insert(Row(object: object, text: text(object)), at: path[1])
    }
    for object in updates { refresh(object) }
  }

  /// After a reset other objects stand for the same rows; one that has left its context has another owner.
  private func isSame(_ known: Element, _ object: Element) -> Bool {
    known === object || known.objectID.description == object.objectID.description
  }

  private func refresh(_ object: Element) {
    for section in sections.indices {
      for row in sections[section].rows.indices
      where isSame(sections[section].rows[row].object, object) {
        sections[section].rows[row] = Row(object: object, text: text(object))
      }
    }
  }
}
