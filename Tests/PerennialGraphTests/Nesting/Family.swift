// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// Contexts one below the other on one store.
final class Family {
  let bench: Bench
  /// The one that writes to the store.
  let top: ManagedObjectContext
  /// The innermost child.
  let child: ManagedObjectContext
  /// From the child up to the top.
  let line: [ManagedObjectContext]
  /// The contexts that were given out to read the store: objects do not hold theirs.
  private var readers: [ManagedObjectContext] = []

  init(
    _ kind: StoreKind,
    depth: Int = 1,
    model: ManagedObjectModel? = nil,
    classes: [ManagedObject.Type] = fixtureClasses
  ) throws {
    bench = try Bench(kind, model: model, classes: classes)
    top = bench.context()
    var line = [top]
    for _ in 0..<depth { line.insert(ManagedObjectContext(parent: line[0]), at: 0) }
    child = line[0]
    self.line = line
  }

  /// The context right above the child.
  var parent: ManagedObjectContext { line[1] }

  /// Saves every context, the child first.
  func saveAll() throws {
    for context in line { try context.save() }
  }

  /// A fresh context.
  func reader() -> ManagedObjectContext {
    readers.append(bench.context())
    return readers[readers.count - 1]
  }

  /// What a fresh context reads.
  func stored<Object: ManagedEntity>(_ type: Object.Type = Object.self) throws -> [Object] {
    try reader().fetch(Object.all)
  }
}

extension ManagedObjectContext {
  /// A new commit.
  func insertCommit(_ sha: String, _ message: String? = nil) -> Commit {
    let commit = Commit(context: self)
    commit.sha = sha
    if let message { commit.message = message }
    return commit
  }

  /// A new author.
  func insertAuthor(_ name: String) -> Author {
    let author = Author(context: self)
    author.name = name
    return author
  }
}
