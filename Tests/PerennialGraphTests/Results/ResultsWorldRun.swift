// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore

/// A store with two contexts and a child, lists on the first and the child, and steps that change it all.
final class ResultsWorldRun {
  private let bench: Bench
  private let view: ManagedObjectContext
  private let other: ManagedObjectContext
  private let child: ManagedObjectContext
  private var lists: [any CheckedList] = []
  private var serial = 0
  /// Makes what is watched in a context; `nil` for lists of all kinds.
  private let makeLists: ((ManagedObjectContext) throws -> [any CheckedList])?

  init(
    _ kind: StoreKind,
    watching makeLists: ((ManagedObjectContext) throws -> [any CheckedList])? = nil
  ) throws {
    self.makeLists = makeLists
    bench = try Bench(kind)
    view = bench.context()
    view.mergePolicy = .mergeByPropertyObjectTrump
    view.automaticallyMergesChangesFromParent = true
    view.undoManager = ContextUndoManager()
    other = bench.context()
    other.mergePolicy = .mergeByPropertyObjectTrump
    child = ManagedObjectContext(coordinator: bench.coordinator, parent: view)
    child.mergePolicy = .mergeByPropertyObjectTrump
    child.automaticallyMergesChangesFromParent = true
  }

  private func watch() throws {
    if let makeLists {
      for context in [view, child] { lists += try makeLists(context) }
      return
    }
    let commits: [(FetchRequest<Commit>, String?)] = [
      (Commit.sorted(by: \.date), nil),
      (Commit.sorted(by: \.date, .reverse).filter("message CONTAINS 'x'").batchSize(3), "kind"),
      (Commit.sorted(by: \.message), "author.name"),
      (Commit.sorted(by: \.date, .reverse).limit(4).offset(1), nil),
      (Commit.sorted(by: \.date).limit(5), "message"),
      (Commit.filter("author.name BEGINSWITH 'b'").sorted(by: FetchSort("author.name")), nil),
      (Commit.filter("author.commits.@count > 2").sorted(by: \.sha), nil),
      (
        Commit.all.sorted(by: FetchSort("message", ascending: false, comparison: .caseInsensitive)),
        "message"
      ),
      (Commit.sorted(by: \.date), "size"),
    ]
    for context in [view, child] {
      // What a child reads of authors that were deleted elsewhere depends on what it has read before.
      let shown =
        context === view
        ? commits
        : commits.filter { request, section in
          let condition = request.predicate.map { "\($0)" } ?? ""
          return !(condition + (section ?? "")).contains("author")
        }
      for (request, section) in shown {
        lists.append(
          try ControllerList(request, section, context) { commit in
            "\(commit.message) \(commit.date.timeIntervalSinceReferenceDate) \(commit.kind) "
              + "\(commit.size ?? -1) \(commit.author == nil)"
          }
        )
      }
      let authors = Author.filter("ANY commits.message CONTAINS 'x'").sorted(by: \.name)
      lists.append(try ControllerList(authors, nil, context) { "\($0.name) \($0.email)" })
    }
  }

  /// Does steps until something is wrong.
  ///
  /// - Returns: What is wrong; `nil` for nothing.
  func failure(of steps: [ControllerPropertyTests.Step]) throws -> String? {
    try seed()
    try watch()
    for (number, step) in steps.enumerated() {
      do {
        try run(step)
        try view.processPendingChanges()
        try child.processPendingChanges()
      } catch let error as PerennialError {
        return "step \(number): \(error)"
      }
      for (place, list) in lists.enumerated() {
        if let wrong = try list.check() { return "step \(number) \(step), list \(place): \(wrong)" }
      }
    }
    return nil
  }

  private func seed() throws {
    for number in 0..<5 { addCommit(to: other, number * 7, number) }
    try other.save()
  }

  // MARK: Steps

  private static let messages = ["x", "ax", "A", "a", "", "bx", "B"]
  private static let names = ["bob", "ann", "Bea", "b"]

  private func addCommit(to context: ManagedObjectContext, _ first: Int, _ second: Int) {
    serial += 1
    let commit = Commit(context: context)
    commit.sha = "sha \(serial)"
    edit(commit, first, second)
    commit.author = author(first, in: context)
  }

  private func edit(_ commit: Commit, _ first: Int, _ second: Int) {
    switch first % 4 {
    case 0: commit.message = Self.messages[second % Self.messages.count]
    case 1: commit.date = Date(timeIntervalSinceReferenceDate: Double(second % 12))
    case 2: commit.kind = second % 2 == 0 ? .merge : .normal
    default: commit.size = second % 3 == 0 ? nil : Double(second % 3)
    }
  }

  /// An author that exists, or a new one.
  private func author(_ number: Int, in context: ManagedObjectContext) -> Author? {
    if number % 5 == 0 { return nil }
    let authors = (try? context.fetch(Author.sorted(by: \.name))) ?? []
    if number % 5 > 1, !authors.isEmpty { return authors[number % authors.count] }
    let author = Author(context: context)
    author.name = Self.names[number % Self.names.count]
    return author
  }

  private func commit(_ number: Int, in context: ManagedObjectContext) throws -> Commit? {
    let commits = try context.fetch(Commit.sorted(by: \.sha))
    return commits.isEmpty ? nil : commits[number % commits.count]
  }

  private func someAuthor(_ number: Int, in context: ManagedObjectContext) throws -> Author? {
    let authors = try context.fetch(Author.sorted(by: \.name))
    return authors.isEmpty ? nil : authors[number % authors.count]
  }

  private func run(_ step: ControllerPropertyTests.Step) throws {
    let context = [view, other, child][step.kind % 3]
    let (first, second) = (step.first, step.second)
    switch step.kind / 3 {
    case 0, 1: addCommit(to: context, first, second)
    case 2, 3: if let commit = try commit(first, in: context) { edit(commit, first / 7, second) }
    case 4: if let commit = try commit(first, in: context) { context.delete(commit) }
    case 5: try commit(first, in: context)?.author = author(second, in: context)
    case 6:
      try someAuthor(first, in: context)?.name = Self.names[second % Self.names.count]
    case 7: try context.save()
    case 8:
      for number in 0..<4 {
        if let commit = try commit(first + number, in: context) {
          edit(commit, second, first + number)
        }
      }
    case 9:
      switch second % 4 {
      case 0: context.rollback()
      case 1: context.refreshAllObjects()
      case 2:
        if let commit = try commit(first, in: context) {
          context.refresh(commit, mergeChanges: false)
        }
      default: if let author = try someAuthor(first, in: context) { context.delete(author) }
      }
    case 10:
      switch second % 4 {
      case 0: view.undoManager?.undo()
      case 1: view.undoManager?.redo()
      case 2: if !view.hasChanges, !child.hasChanges { view.reset() }
      default: try duplicate(first, in: context)
      }
    case 11:
      try other.save()
      if second % 2 == 0 {
        var request = BatchUpdateRequest(Commit.self, where: "message == 'A'")
        request.propertiesToUpdate = ["message": "x"]
        _ = try other.execute(request)
      } else {
        _ = try other.execute(BatchDeleteRequest(Commit.filter("message == 'B'")))
        view.undoManager?.removeAllActions()
      }
    default: try other.save()
    }
  }

  /// A new commit with the sha of a stored one.
  private func duplicate(_ number: Int, in context: ManagedObjectContext) throws {
    guard let twin = try commit(number, in: other) else { return }
    let commit = Commit(context: context)
    commit.sha = twin.sha
    commit.message = Self.messages[number % Self.messages.count]
  }
}

/// A list that can say what is wrong with it.
protocol CheckedList {
  func check() throws -> String?
}

/// A results controller, what its delegate makes of it, and what a fetch gives.
private final class ControllerList<Element: ManagedObject>: CheckedList {
  private let controller: FetchedResultsController<Element>
  private let mirror: ListMirror<Element>
  private let section: String?
  private let text: (Element) -> String

  init(
    _ request: FetchRequest<Element>,
    _ section: String?,
    _ context: ManagedObjectContext,
    text: @escaping (Element) -> String
  ) throws {
    self.section = section
    self.text = text
    controller = FetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context,
      sectionNameKeyPath: section
    )
    mirror = ListMirror(name: { $0.objectID.description }, text: text)
    controller.delegate = mirror
    try controller.performFetch()
    mirror.reload(controller)
  }

  func check() throws -> String? {
    if let complaint = mirror.complaints.first { return complaint }
    let context = controller.managedObjectContext
    // What a child reads of objects that were deleted elsewhere and are edited in its parent depends on
    // what it has read before.
    if context.hasChanges, context.parent?.hasChanges == true { return checkReports() }
    var request = controller.fetchRequest
    request.fetchBatchSize = 0
    if let section {
      let rest = request.sortDescriptors
      let first = rest.first?.key == section ? [] : [FetchSort(section)]
      request.sortDescriptors = first + rest
      if let sort = rest.first, sort.key == section, sort.comparison != .binary {
        request.sortDescriptors.insert(FetchSort(section, ascending: sort.ascending), at: 1)
      }
    }
    let fetched = try context.fetch(request)
    let shown = Array(controller.fetchedObjects.map(Array.init) ?? [])
    guard shown.map(\.objectID) == fetched.map(\.objectID) else {
      return "the list has \(shown.map(\.objectID)), a fetch \(fetched.map(\.objectID))"
    }
    let rows = mirror.sections.flatMap(\.rows)
    guard rows.map(\.object.objectID) == shown.map(\.objectID) else {
      return "the reports make \(rows.map(\.object.objectID)) of \(shown.map(\.objectID))"
    }
    // Objects of a child take what has changed above when they are fetched, after the list.
    if context.parent != nil { return checkReports() }
    if let stale = rows.first(where: { $0.text != text($0.object) }) {
      return "nobody told of '\(stale.text)' becoming '\(text(stale.object))'"
    }
    return checkSections(fetched)
  }

  private func checkSections(_ fetched: [Element]) -> String? {
    var expected: [(name: String, count: Int)] = section == nil ? [("", fetched.count)] : []
    for object in fetched where section != nil {
      let name = sectionName(object)
      if expected.last?.name == name {
        expected[expected.count - 1].count += 1
      } else {
        expected.append((name, 1))
      }
    }
    let words = expected.map { "\($0.name): \($0.count)" }
    let shown = (controller.sections ?? []).map { "\($0.name): \($0.numberOfObjects)" }
    return shown == words ? checkReports() : "sections \(shown), not \(words)"
  }

  private func checkReports() -> String? {
    let shown = (controller.sections ?? []).map { "\($0.name): \($0.numberOfObjects)" }
    let told = mirror.sections.map { "\($0.name): \($0.rows.count)" }
    return told == shown ? nil : "reported sections \(told), not \(shown)"
  }

  private func sectionName(_ object: Element) -> String {
    guard let commit = object as? Commit else { return "" }
    switch section {
    case "kind": return commit.kind.rawValue
    case "author.name": return commit.author.flatMap { $0.isDeleted ? nil : $0.name } ?? ""
    case "message": return commit.message
    case "size": return commit.size.map { String($0) } ?? ""
    default: return ""
    }
  }
}
