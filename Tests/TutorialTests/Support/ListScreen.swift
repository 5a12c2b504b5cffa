// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial

/// A table view without the view: rows of text that a results controller keeps up to date.
///
/// It does what the delegates of the tutorials do with their table. Nothing of the list is read but
/// what the controller reports, so that rows which are right show that the reports are.
@MainActor
final class ListScreen<Element: ManagedObject>: @MainActor FetchedResultsControllerDelegate {
  let controller: FetchedResultsController<Element>
  /// The text of the visible cells, section by section.
  private(set) var rows: [[String]] = []
  /// What the controller has reported since ``takeReports()`` was called last.
  private var reports: [String] = []
  /// Called when all changes of a batch have been applied.
  var afterChange: (() -> Void)?
  private let configure: (Element) -> String
  private var batch = Batch()

  /// What a batch of changes does to the rows.
  private struct Batch {
    var deletedSections: [Int] = []
    var insertedSections: [Int] = []
    var departures: [IndexPath] = []
    var arrivals: [(path: IndexPath, text: String)] = []
    var updates: [(path: IndexPath, text: String)] = []
  }

  /// A screen that shows what a controller finds.
  ///
  /// - Parameters:
  ///   - controller: The controller, which is fetched.
  ///   - configure: The text of an object's cell.
  /// - Throws: What the fetch throws.
  init(
    _ controller: FetchedResultsController<Element>,
    configure: @escaping (Element) -> String
  ) throws {
    self.controller = controller
    self.configure = configure
    controller.delegate = self
    try reload()
  }

  /// Fetches, and shows everything anew.
  func reload() throws {
    try controller.performFetch()
    rows = (controller.sections ?? []).map { $0.objects.map(configure) }
  }

  /// The text of all cells, across the sections.
  var texts: [String] { rows.flatMap(\.self) }

  /// What was reported since the last call.
  func takeReports() -> [String] {
    defer { reports = [] }
    return reports
  }

  /// Does something, and waits until the list has changed because of it.
  func changed(by action: @escaping @MainActor () throws -> Void) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      afterChange = { [weak self] in
        self?.afterChange = nil
        continuation.resume()
      }
      do {
        try action()
      } catch {
        afterChange = nil
        continuation.resume(throwing: error)
      }
    }
  }

  // MARK: The delegate

  func controllerWillChangeContent(_ controller: FetchedResultsController<Element>) {
    batch = Batch()
    reports.append("begin")
  }

  func controller(
    _ controller: FetchedResultsController<Element>,
    didChange sectionInfo: FetchedResultsSectionInfo<Element>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) {
    switch type {
    case .insert: batch.insertedSections.append(sectionIndex)
    case .delete: batch.deletedSections.append(sectionIndex)
    case .move, .update: break
    }
    reports.append("\(type) section \(sectionInfo.name) \(sectionIndex)")
  }

  func controller(
    _ controller: FetchedResultsController<Element>,
    didChange anObject: Element,
    at indexPath: IndexPath?,
    for type: FetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    let text = type == .delete ? "" : configure(anObject)
    switch (type, indexPath, newIndexPath) {
    case (.insert, nil, let new?): batch.arrivals.append((new, text))
    case (.delete, let old?, nil): batch.departures.append(old)
    case (.update, .some, let new?): batch.updates.append((new, text))
    case (.move, let old?, let new?):
      batch.departures.append(old)
      batch.arrivals.append((new, text))
    default: reports.append("wrong paths")
    }
    let places = [indexPath, newIndexPath].map { $0.map { "\($0[0]).\($0[1])" } ?? "-" }
    let words = ["\(type)", text] + places
    reports.append(words.filter { !$0.isEmpty }.joined(separator: " "))
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Element>) {
    if !apply(batch) { reports.append("the reports do not add up") }
    reports.append("end")
    afterChange?()
  }

  /// Does what a batch says.
  ///
  /// - Returns: Whether it could be done; a table view would end the program.
  private func apply(_ batch: Batch) -> Bool {
    for path in batch.departures.sorted().reversed() {
      guard hasRow(path) else { return false }
      rows[path[0]].remove(at: path[1])
    }
    for section in batch.deletedSections.sorted().reversed() {
      guard rows.indices.contains(section), rows[section].isEmpty else { return false }
      rows.remove(at: section)
    }
    for section in batch.insertedSections.sorted() {
      guard (0...rows.count).contains(section) else { return false }
      rows.insert([], at: section)
    }
    for (path, text) in batch.arrivals.sorted(by: { $0.path < $1.path }) {
      guard rows.indices.contains(path[0]), (0...rows[path[0]].count).contains(path[1]) else {
        return false
      }
      rows[path[0]].insert(text, at: path[1])
    }
    for (path, text) in batch.updates {
      guard hasRow(path) else { return false }
      rows[path[0]][path[1]] = text
    }
    return true
  }

  private func hasRow(_ path: IndexPath) -> Bool {
    rows.indices.contains(path[0]) && rows[path[0]].indices.contains(path[1])
  }
}
