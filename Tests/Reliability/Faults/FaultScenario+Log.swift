// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

extension FaultScenario {
  /// What moves the log into the file, and what else an open store does or is told to do.
  static var logging: [FaultScenario] {
    [
      FaultScenario(
        name: "checkpoint",
        forms: [.wal],
        prepare: fillLongLog,
        begin: save { try ShelfModel.change($0) },
        before: start,
        after: State(main: .changed)
      ),
      FaultScenario(
        name: "close",
        forms: [.wal],
        prepare: fillLog,
        begin: close,
        before: start,
        after: start
      ),
      FaultScenario(
        name: "vacuum",
        forms: [.wal, .journal],
        prepare: fillLog,
        begin: { place in
          var description = place.description()
          description.vacuumsOnOpening = true
          var containers: [PersistentContainer] = []
          return Session { containers.append(try place.open(description)) }
        },
        before: start,
        after: start
      ),
      FaultScenario(
        name: "save-undurably",
        durability: .survivesProcessDeathOnly,
        prepare: fill,
        begin: save { try ShelfModel.change($0) },
        before: start,
        after: State(main: .changed)
      ),
      FaultScenario(
        name: "copy",
        prepare: fill,
        begin: { place in
          let coordinator = try place.open().persistentStoreCoordinator
          return Session {
            for store in coordinator.persistentStores {
              try coordinator.copyPersistentStore(store, to: place.description(place.other))
            }
          }
        },
        before: start,
        after: State(main: .start, other: .start)
      ),
      FaultScenario(
        name: "look",
        prepare: fillLog,
        begin: { place in
          let store = place.description()
          let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: store)
          return Session {
            let found = try PersistentStoreCoordinator.metadataForPersistentStore(at: store)
            guard found == metadata else { throw WrongAnswer("the metadata were read wrongly") }
          }
        },
        before: start,
        after: start
      ),
      FaultScenario(
        name: "remark-open",
        prepare: fill,
        begin: { place in
          let coordinator = try place.open().persistentStoreCoordinator
          return Session {
            for store in coordinator.persistentStores {
              var metadata = try coordinator.metadata(for: store)
              metadata["remark"] = .string("noted")
              try coordinator.setMetadata(metadata, for: store)
            }
          }
        },
        before: start,
        after: State(main: .start, remark: "noted")
      ),
    ]
  }

  /// Fills a store, and goes on until its log is so long that the next save moves it.
  private static func fillLongLog(_ place: FaultPlace) throws -> Any? {
    let container = try fillLog(place)
    let context = container.newBackgroundContext()
    let box = try context.only("Box", "name", "c")
    while try place.logPageCount < 985 {
      // A large value is quick, and a small one does not go too far.
      let count = try place.logPageCount < 900 ? 90_000 : 200
      for picture in [Contents.Picture(count, of: 8), .init(100, of: 3)] {
        try box.setValue(picture.data, forKey: "picture")
        try context.save()
      }
    }
    return (container, context)
  }

  /// Closes a store that has been written, as nothing uses it any more: what fails then, nobody is told.
  private static func close(_ place: FaultPlace) throws -> Session {
    var container: PersistentContainer? = try place.open()
    if let context = container?.newBackgroundContext() {
      let box = try context.only("Box", "name", "a")
      for note in ["for a moment", "first"] {
        try box.setValue(note, forKey: "note")
        try context.save()
      }
    }
    return Session { container = nil }
  }
}

extension FaultPlace {
  /// How many pages of 4 KiB the write-ahead log has.
  fileprivate var logPageCount: Int {
    get throws {
      let log = main.deletingLastPathComponent().appending(path: main.lastPathComponent + "-wal")
      return try (log.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) / 4_120
    }
  }
}
