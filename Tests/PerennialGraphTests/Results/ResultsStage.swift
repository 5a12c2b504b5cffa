// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate

/// Commits that are called by their shas, in the order of their messages, and lists of them.
final class ResultsStage {
  let bench: Bench
  let context: ManagedObjectContext
  private var controllers: [FetchedResultsController<Commit>] = []

  /// A stage on which commits of these names are saved.
  init(_ kind: StoreKind, _ names: String = "") throws {
    bench = try Bench(kind)
    context = bench.context()
    context.automaticallyMergesChangesFromParent = true
    context.mergePolicy = .mergeByPropertyObjectTrump
    for name in names.split(separator: " ") { add(String(name), in: context) }
    try context.save()
  }

  /// A commit whose place is its name unless it is given another.
  @discardableResult
  func add(
    _ name: String,
    at place: String? = nil,
    by author: Author? = nil,
    in context: ManagedObjectContext? = nil
  ) -> Commit {
    let commit = Commit(context: context ?? self.context)
    commit.sha = name
    commit.message = place ?? name
    commit.author = author
    return commit
  }

  @discardableResult
  func author(_ name: String, in context: ManagedObjectContext? = nil) -> Author {
    let author = Author(context: context ?? self.context)
    author.name = name
    return author
  }

  func commit(_ name: String, in context: ManagedObjectContext? = nil) throws -> Commit {
    guard let commit = try (context ?? self.context).first(Commit.filter("sha == \(name)")) else {
      throw Missing(name: name)
    }
    return commit
  }

  struct Missing: Error {
    let name: String
  }

  /// A fetched list with a delegate.
  func list(
    _ request: FetchRequest<Commit> = Commit.sorted(by: \.message),
    sectionedBy section: String? = nil
  ) throws -> (FetchedResultsController<Commit>, ListMirror<Commit>) {
    let controller = FetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context,
      sectionNameKeyPath: section
    )
    let mirror = ListMirror<Commit>(name: { $0.sha }, text: { $0.message })
    controller.delegate = mirror
    try controller.performFetch()
    mirror.reload(controller)
    controllers.append(controller)
    return (controller, mirror)
  }

  /// The names of a list, section by section: `A: a1 a2 | B: b1`.
  static func words(_ controller: FetchedResultsController<Commit>) -> String {
    (controller.sections ?? []).map { section in
      let names = section.objects.map(\.sha).joined(separator: " ")
      return section.name.isEmpty ? names : "\(section.name): \(names)"
    }.joined(separator: " | ")
  }
}
