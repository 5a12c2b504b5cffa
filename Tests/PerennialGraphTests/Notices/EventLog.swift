// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel

/// Collects what a context tells, as long as it lives.
final class EventLog {
  var events: [ChangedObjects] = []
  var saves: [ChangedObjects] = []
  var savedIDs: [ObjectChanges] = []
  /// The notices by name, in the order in which they came.
  var order: [String] = []
  private var tokens: [NoticeToken] = []

  init(_ context: ManagedObjectContext) {
    tokens = [
      context.onObjectsDidChange { [unowned self] in
        events.append($0)
        order.append("change")
      },
      context.onWillSave { [unowned self] in order.append("willSave") },
      context.onDidSave { [unowned self] in
        saves.append($0)
        order.append("didSave")
      },
      context.onDidSaveObjectIDs { [unowned self] in
        savedIDs.append($0)
        order.append("didSaveIDs")
      },
    ]
  }

  /// The only event since the last call; an empty one when there was none.
  func takeEvent() -> (changes: ChangedObjects?, count: Int) {
    defer { events = [] }
    return (events.last, events.count)
  }
}

/// A context with one saved author, who has one commit and is in one team.
struct Cast {
  let bench: Bench
  let context: ManagedObjectContext
  let author: Author
  let commit: Commit
  let team: Team

  init(_ kind: StoreKind) throws { try self.init(Bench(kind)) }

  init(_ bench: Bench, _ context: ManagedObjectContext? = nil) throws {
    let context = context ?? bench.context()
    self.bench = bench
    self.context = context
    author = Author(context: context)
    author.name = "Joe"
    commit = Commit(context: context)
    commit.sha = "1"
    commit.author = author
    team = Team(context: context)
    team.members.append(author)
    try context.save()
  }
}
