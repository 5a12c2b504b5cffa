// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialGraph
import PerennialJSON
import PerennialStore
import RowTesting

/// A JSON store on a disk in memory, which knows what a crash of the machine leaves of it.
///
/// Large values are smaller than usual, so that every byte can be the last one.
struct JSONShelf {
  static let scale = 500
  static let path = "/Shelf.json"
  static let start = Contents.start.scaled(scale)
  static let changed = Contents.changed.scaled(scale)

  let files: ModelFiles

  /// A disk with a store that holds the start.
  static func filled() throws -> JSONShelf {
    let shelf = JSONShelf(files: ModelFiles())
    try ShelfModel.fill(shelf.open(), with: start)
    return shelf
  }

  /// A new context of the store, which is opened or made.
  func open() throws -> ManagedObjectContext {
    let store = try JSONStore(
      url: URL(filePath: Self.path),
      model: ShelfModel.model(1).layout,
      files: files,
      largestInlineCount: 200
    )
    return ManagedObjectContext(coordinator: StoreCoordinator(store: store, classes: [:]))
  }

  func contents() throws -> Contents { try ShelfModel.contents(open()) }

  /// The disk as it is, for another try.
  func copy() -> JSONShelf {
    JSONShelf(files: files.afterCrash(keepsBytes: true, keepsNames: true))
  }

  /// The disks that a crash may leave, by what the system has written by itself; those that are the same once.
  func afterCrash() -> [JSONShelf] {
    var shelves: [[String: [UInt8]]: JSONShelf] = [:]
    for (keepsBytes, keepsNames) in [(true, true), (true, false), (false, true), (false, false)] {
      let rest = files.afterCrash(keepsBytes: keepsBytes, keepsNames: keepsNames)
      let contents = rest.names.map { ($0, rest.bytes($0) ?? []) }
      shelves[Dictionary(uniqueKeysWithValues: contents)] = JSONShelf(files: rest)
    }
    return Array(shelves.values)
  }
}

/// Crashes and failures of a JSON store at every byte and every step of a save, and of making a store.
enum JSONCrashes {
  typealias Breach = FaultRun.Breach

  static var job: FaultJob {
    FaultJob(
      "crash/json",
      shortCount: 6,
      [
        ("save-bytes", { try series(save(), \.byteCount) { .endWriting(byteCount: $0) } }),
        ("save-steps", { try series(save(), \.steps.count) { .end(step: $0) } }),
        (
          "save-broken",
          { try series(save(), \.steps.count) { .failure(step: $0, code: EIO) } }
        ),
        (
          "save-full",
          { try series(save(), \.steps.count) { .failure(step: $0, code: ENOSPC) } }
        ),
        ("make-bytes", { try series(make(), \.byteCount) { .endWriting(byteCount: $0) } }),
        ("make-steps", { try series(make(), \.steps.count) { .end(step: $0) } }),
        (
          "make-broken",
          { try series(make(), \.steps.count) { .failure(step: $0, code: EIO) } }
        ),
        (
          "make-full",
          { try series(make(), \.steps.count) { .failure(step: $0, code: ENOSPC) } }
        ),
      ]
    )
  }

  /// What is done to a store.
  private struct Action {
    /// The disk before it.
    let shelf: JSONShelf
    /// What has been opened before, and does it, and does it again after a failure.
    let begin: (JSONShelf) throws -> FaultScenario.Session
    /// What the store may hold after a crash, in which what was made may be missing.
    let before: Contents
    let after: Contents
  }

  private static func save() throws -> Action {
    Action(
      shelf: try JSONShelf.filled(),
      begin: { shelf in
        let context = try shelf.open()
        try ShelfModel.change(context, scale: JSONShelf.scale)
        return FaultScenario.Session(
          act: { try context.save() },
          pending: { try ShelfModel.contents(context) }
        )
      },
      before: JSONShelf.start,
      after: JSONShelf.changed
    )
  }

  private static func make() throws -> Action {
    Action(
      shelf: JSONShelf(files: ModelFiles()),
      begin: { shelf in FaultScenario.Session { _ = try shelf.open() } },
      before: .nothing,
      after: .nothing
    )
  }

  /// A series with one fault for each byte or each step.
  private static func series(
    _ action: Action,
    _ count: KeyPath<ModelFiles, Int>,
    _ trouble: @escaping (Int) -> ModelFiles.Trouble
  ) throws -> FaultJob.Series {
    let whole = action.shelf.copy()
    let act = try action.begin(whole).act
    whole.files.begin(nil)
    try act()
    try expectDurable(action, whole)
    let total = whole.files[keyPath: count]
    return FaultJob.Series(count: total) { number in
      guard number <= total else { return nil }
      return try strike(action, trouble(number - 1))
    }
  }

  private static func strike(_ action: Action, _ trouble: ModelFiles.Trouble) throws -> String {
    let shelf = action.shelf.copy()
    let session = try action.begin(shelf)
    shelf.files.begin(trouble)
    let result = Result { try session.act() }
    guard case .failure(let error) = result else {
      shelf.files.begin(nil)
      try expect([action.after], shelf, "after a failure that did no harm")
      try expectDurable(action, shelf)
      return "no error"
    }
    guard let error = error as? PerennialError, !error.recovery.isEmpty else {
      throw Breach(kind: .untyped, message: "\(error)")
    }
    for rest in shelf.afterCrash() {
      try expect([action.before, action.after], rest, "after a crash")
      // Whoever comes next can go on.
      if try rest.contents() == action.before { try action.begin(rest).act() }
      try expect([action.after], rest, "after the next save")
    }
    shelf.files.begin(nil)
    if let pending = try session.pending?(), pending != action.after {
      throw Breach(kind: .lost, message: "pending changes are gone: \(pending)")
    }
    do {
      try session.act()
    } catch {
      throw Breach(kind: .lost, message: "the second time: \(error)")
    }
    try expect([action.after], shelf, "at the end")
    try expectDurable(action, shelf)
    return "\(error.code.rawValue) \(error.message)"
  }

  /// What was acknowledged is there, even if the system has written nothing by itself.
  private static func expectDurable(_ action: Action, _ shelf: JSONShelf) throws {
    for rest in shelf.afterCrash() {
      try expect([action.after], rest, "after a crash of what was acknowledged")
    }
  }

  private static func expect(
    _ expected: [Contents],
    _ shelf: JSONShelf,
    _ moment: String
  ) throws {
    do {
      let contents = try shelf.contents()
      if expected.contains(contents) { return }
      throw Breach(kind: .partial, message: "\(moment), the store holds \(contents)")
    } catch let error as PerennialError {
      throw Breach(kind: .partial, message: "\(moment): \(error)")
    }
  }
}
