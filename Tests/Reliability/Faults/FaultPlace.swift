// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialSQLite

/// A folder with a store, and perhaps another one.
struct FaultPlace {
  /// How the store is kept.
  enum Form: String, CaseIterable {
    case wal, journal, json
  }

  /// What there is: `nil` for no store.
  struct State: Equatable {
    var main: Contents?
    var other: Contents?
    /// What the application has noted with the main store.
    var remark: String?
  }

  let folder: URL
  let form: Form
  var keepsHistory = false
  var durability = StoreDurability.full

  var main: URL { folder.appending(path: "Main.\(form.rawValue)") }
  var other: URL { folder.appending(path: "Other.\(form.rawValue)") }

  func description(_ url: URL? = nil) -> StoreDescription {
    var description = form == .json ? StoreDescription.json(url ?? main) : .sqlite(url ?? main)
    if form == .journal { description.pragmas = ["journal_mode": "DELETE"] }
    description.historyTracking = keepsHistory
    description.durability = durability
    // Nobody else is there.
    description.busyTimeout = .milliseconds(20)
    return description
  }

  func open(_ version: Int = 1, at url: URL? = nil) throws -> PersistentContainer {
    try open(description(url), version)
  }

  func open(_ description: StoreDescription, _ version: Int = 1) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Shelf",
      model: ShelfModel.model(version),
      store: description
    )
  }

  /// Makes a copy of all files, as they are while stores are open.
  func copy(to target: URL) throws -> FaultPlace {
    try? FileManager.default.removeItem(at: target)
    try FileManager.default.copyItem(at: folder, to: target)
    return FaultPlace(
      folder: target,
      form: form,
      keepsHistory: keepsHistory,
      durability: durability
    )
  }

  func isThere(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.path(percentEncoded: false))
  }

  /// What the stores hold; reading them opens them.
  func state() throws -> State {
    var remark: String?
    if isThere(main), let text = try readRemark() { remark = text }
    return State(main: try read(main), other: try read(other), remark: remark)
  }

  private func readRemark() throws -> String? {
    let metadata = try? PersistentStoreCoordinator.metadataForPersistentStore(at: description())
    guard case .string(let text) = metadata?["remark"] else { return nil }
    return text
  }

  private func read(_ url: URL) throws -> Contents? {
    guard isThere(url) else { return nil }
    var description = description(url)
    description.shouldMigrateStoreAutomatically = false
    for version in [1, 2, 3] {
      let container: PersistentContainer
      do {
        container = try open(description, version)
      } catch let error as PerennialError where error.code == .incompatibleVersionHash {
        continue
      }
      return try read(container, version)
    }
    throw WrongAnswer("the store is of another model")
  }

  private func read(_ container: PersistentContainer, _ version: Int) throws -> Contents {
    let context = container.newBackgroundContext()
    var contents = try ShelfModel.contents(context, version)
    // Two objects of one name would be one there.
    for (entity, count) in [
      ("Box", contents.boxes.count), ("Item", contents.items.count),
      (version == 3 ? "Label" : "Tag", contents.tags.count),
    ] {
      let found = try context.count(for: FetchRequest<ManagedObject>(entityName: entity))
      guard found == count else {
        throw WrongAnswer("there are \(found) objects of '\(entity)', of \(count) names")
      }
    }
    if keepsHistory {
      let request = PersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
      contents.transactions = try context.execute(request).transactions.count
    }
    return contents
  }

  /// What SQLite finds wrong in the stores' files.
  func problems() throws -> [String] {
    guard form != .json else { return [] }
    return try [main, other].filter(isThere).flatMap { url -> [String] in
      let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
      return size == 0 ? [] : try SQLiteInspector.inspect(url).problems
    }
  }
}
