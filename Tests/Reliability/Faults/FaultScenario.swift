// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Something that a program does to a store, during which files or memory fail.
struct FaultScenario {
  typealias State = FaultPlace.State

  /// What has been opened before the fault, and stays open until the end.
  struct Session {
    /// Does it, and does it again after a failure.
    var act: () throws -> Void
    /// What the context sees with its changes, when they must outlive a failure.
    var pending: (() throws -> Contents)?
  }

  let name: String
  var forms = FaultPlace.Form.allCases
  /// Where SQLite's memory fails, too.
  var memoryForms: [FaultPlace.Form] = [.wal, .journal]
  var keepsHistory = false
  var durability = StoreDurability.full
  /// Makes the stores that there are before; they may be open meanwhile, and be left so: the value is kept
  /// until their files have been copied.
  let prepare: (FaultPlace) throws -> Any?
  let begin: (FaultPlace) throws -> Session
  let before: State
  /// What there is after it, from what there was before: their contents when it was not interrupted.
  let after: State
  /// What is wrong in the folder at the end, besides the stores' contents.
  var check: (FaultPlace) throws -> String? = { _ in nil }
}

extension FaultScenario {
  /// All scenarios.
  static var all: [FaultScenario] {
    opening + saving + logging + reading + batches + migrating + files + [purging]
  }

  static func fill(_ place: FaultPlace) throws -> Any? {
    try ShelfModel.fill(place.open().newBackgroundContext(), with: .start)
    return nil
  }

  /// Makes a store whose contents are in its log only.
  static func fillLog(_ place: FaultPlace) throws -> PersistentContainer {
    let container = try place.open()
    try ShelfModel.fill(container.newBackgroundContext(), with: .start)
    return container
  }

  static let start = State(main: .start)

  // MARK: Opening

  private static var opening: [FaultScenario] {
    let open = { (place: FaultPlace) in
      var containers: [PersistentContainer] = []
      return Session { containers.append(try place.open()) }
    }
    return [
      FaultScenario(
        name: "make",
        prepare: { _ in nil },
        begin: open,
        before: State(),
        after: State(main: .nothing)
      ),
      FaultScenario(
        name: "open",
        prepare: fill,
        begin: open,
        before: start,
        after: start
      ),
      FaultScenario(
        name: "recover",
        forms: [.wal],
        prepare: fillLog,
        begin: open,
        before: start,
        after: start
      ),
      FaultScenario(
        name: "roll-back",
        forms: [.journal],
        prepare: { place in
          _ = try fill(place)
          return try HotJournal.leave(in: place)
        },
        begin: open,
        before: start,
        after: start
      ),
    ]
  }

  // MARK: Saving

  static func save(
    _ change: @escaping (ManagedObjectContext) throws -> Void
  ) -> (FaultPlace) throws -> Session {
    { place in
      let container = try place.open()
      let context = container.newBackgroundContext()
      try change(context)
      return Session(
        act: { try context.save() },
        pending: {
          guard context.hasChanges else { throw WrongAnswer("the context has no changes") }
          return try ShelfModel.contents(context)
        }
      )
    }
  }

  private static var saving: [FaultScenario] {
    var (fewTransactions, moreTransactions) = (Contents.start, Contents.changed)
    (fewTransactions.transactions, moreTransactions.transactions) = (1, 2)
    return [
      FaultScenario(
        name: "save",
        prepare: fill,
        begin: save { try ShelfModel.change($0) },
        before: start,
        after: State(main: .changed)
      ),
      FaultScenario(
        name: "save-history",
        keepsHistory: true,
        prepare: fill,
        begin: save { try ShelfModel.change($0) },
        before: State(main: fewTransactions),
        after: State(main: moreTransactions)
      ),
      FaultScenario(
        name: "swap",
        prepare: fill,
        begin: save(ShelfModel.swap),
        before: start,
        after: State(main: .swapped)
      ),
    ]
  }

  // MARK: Reading

  private static var reading: [FaultScenario] {
    [
      FaultScenario(
        name: "fetch",
        prepare: fill,
        begin: { place in
          let container = try place.open()
          return Session { try ShelfQuestions.ask(container.newBackgroundContext()) }
        },
        before: start,
        after: start
      ),
      FaultScenario(
        name: "fault",
        prepare: fill,
        begin: { place in
          let container = try place.open()
          return Session {
            let contents = try ShelfModel.contents(container.newBackgroundContext())
            guard contents == .start else { throw WrongAnswer("objects were read wrongly") }
          }
        },
        before: start,
        after: start
      ),
      FaultScenario(
        name: "read-only",
        prepare: fillLog,
        begin: { place in
          var description = place.description()
          description.isReadOnly = true
          return Session {
            let container = try place.open(description)
            let contents = try ShelfModel.contents(container.newBackgroundContext())
            guard contents == .start else { throw WrongAnswer("the store was read wrongly") }
          }
        },
        before: start,
        after: start
      ),
    ]
  }

  // MARK: Batch requests

  private static func batch(
    _ name: String,
    after change: (inout Contents) -> Void,
    execute: @escaping (ManagedObjectContext) throws -> Void
  ) -> FaultScenario {
    var contents = Contents.start
    change(&contents)
    return FaultScenario(
      name: name,
      prepare: fill,
      begin: { place in
        let container = try place.open()
        return Session {
          let context = container.newBackgroundContext()
          context.mergePolicy = .mergeByPropertyObjectTrump
          try execute(context)
        }
      },
      before: start,
      after: State(main: contents)
    )
  }

  private static var batches: [FaultScenario] {
    [
      batch(
        "batch-insert",
        after: { for word in ["x", "y", "z"] { $0.tags[word] = [] } },
        execute: {
          let words: [[String: (any Sendable)?]] = ["x", "y", "z"].map { ["word": $0] }
          try $0.execute(BatchInsertRequest(entityName: "Tag", objects: words))
        }
      ),
      batch(
        "batch-update",
        after: { for label in ["b1", "b2", "c1"] { $0.items[label]?.count = 50 } },
        execute: {
          var request = BatchUpdateRequest(
            entityName: "Item",
            where: FetchPredicate(format: "count > 2")
          )
          request.propertiesToUpdate = ["count": 50]
          try $0.execute(request)
        }
      ),
      batch(
        "batch-delete",
        after: { contents in
          for label in ["b1", "b2", "c1"] { contents.items[label] = nil }
          for box in ["b", "c"] { contents.boxes[box]?.items = [] }
          contents.tags = ["red": ["a1"], "blue": []]
        },
        execute: {
          let request = FetchRequest<ManagedObject>(entityName: "Item")
          let condition = FetchPredicate(format: "count > 2")
          try $0.execute(BatchDeleteRequest(request.filter(condition)))
        }
      ),
    ]
  }

  // MARK: Files

  private static var files: [FaultScenario] {
    [
      FaultScenario(
        name: "back-up",
        prepare: fill,
        begin: { place in
          let coordinator = try place.open().persistentStoreCoordinator
          return Session {
            for store in coordinator.persistentStores {
              try coordinator.backUp(store, to: place.other)
            }
          }
        },
        before: start,
        after: State(main: .start, other: .start)
      ),
      FaultScenario(
        name: "back-up-over",
        prepare: { place in
          _ = try fill(place)
          let other = try place.open(at: place.other)
          try ShelfModel.fill(other.newBackgroundContext(), with: .changed)
          return nil
        },
        begin: { place in
          let coordinator = try place.open().persistentStoreCoordinator
          return Session {
            for store in coordinator.persistentStores {
              do {
                try coordinator.backUp(store, to: place.other)
                throw WrongAnswer("a file that is there was replaced by a backup")
              } catch let error as PerennialError where error.message.contains("already") {
                continue
              }
            }
          }
        },
        before: State(main: .start, other: .changed),
        after: State(main: .start, other: .changed)
      ),
      FaultScenario(
        name: "replace",
        prepare: { place in
          _ = try fill(place)
          let other = try place.open(at: place.other)
          try ShelfModel.fill(other.newBackgroundContext(), with: .changed)
          return other
        },
        begin: { place in
          Session {
            try PersistentStoreCoordinator.replacePersistentStore(
              at: place.description(),
              withPersistentStoreFrom: place.description(place.other)
            )
          }
        },
        before: State(main: .start, other: .changed),
        after: State(main: .changed, other: .changed)
      ),
      FaultScenario(
        name: "destroy",
        prepare: fillLog,
        begin: { place in
          Session {
            try PersistentStoreCoordinator.destroyPersistentStore(at: place.description())
          }
        },
        before: start,
        after: State(),
        check: { place in
          let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
          return names.isEmpty ? nil : "there still are \(names.sorted())"
        }
      ),
      FaultScenario(
        name: "remark",
        prepare: fillLog,
        begin: { place in
          // Whoever looks at a store does not undo what a failure has left in its journal: that is done before.
          let store = place.description()
          var metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: store)
          metadata["remark"] = .string("noted")
          return Session {
            try PersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreAt: store)
          }
        },
        before: start,
        after: State(main: .start, remark: "noted")
      ),
    ]
  }
}
