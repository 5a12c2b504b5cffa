// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore

/// Migrates the store of a description, before it is opened.
///
/// Everything is done on a draft. The draft is the rehearsal: its objects are counted and its rules are checked; only then
/// it gets the store's name, and the store that it replaces is kept until the new one has been opened. Until that
/// step whatever fails, or ends the process, leaves the store as it was.
struct StoreMigrator {
  private let description: StoreDescription
  private let model: ManagedObjectModel
  private let classes: [String: ManagedObject.Type]
  private let log: EventLog
  private let files: any MigratableFiles
  private let url: URL

  /// A migrator; `nil` for a store without files that can be migrated.
  init?(
    _ description: StoreDescription,
    _ model: ModelLayout,
    _ classes: [String: ManagedObject.Type],
    _ log: EventLog
  ) {
    guard let (files, url) = try? StoreOpening.files(of: description),
      let files = files as? any MigratableFiles
    else { return nil }
    self.description = description
    self.model = ManagedObjectModel(model)
    self.classes = classes
    self.log = log
    self.files = files
    self.url = url.resolvingSymlinksInPath()
  }

  /// Migrates the store and opens it.
  ///
  /// - Parameter opening: Opens the store; when it throws, the store that there was is put back.
  /// - Returns: The open store.
  /// - Throws: Why the store cannot be migrated: 134,100, 134,110, 134,111, 134,120, or the store's error.
  func run(
    _ opening: () throws(PerennialError) -> any RowStore
  ) throws(PerennialError) -> any RowStore {
    // What is refused is refused before anything is touched.
    _ = try route(of: url)
    let draft = StoreDraft(of: url)
    let store = try migrate(draft, opening)
    // What is kept was locked until now.
    if let backup = description.migration.backup, exists(draft.previous) {
      try keep(draft.previous, as: backup)
    }
    try? FileManager.default.removeItem(at: draft.folder)
    return store
  }

  /// Migrates a draft, puts it in the store's place, and opens it; after an error the draft is gone.
  private func migrate(
    _ draft: StoreDraft,
    _ opening: () throws(PerennialError) -> any RowStore
  ) throws(PerennialError) -> any RowStore {
    let lock = try files.lockForMigration(at: url)
    defer { withExtendedLifetime(lock) {} }
    do throws(PerennialError) {
      try makeFolder(draft.folder)
      try files.makeDraft(of: url, in: draft, lock)
      try migrate(draft, lock)
      return try open(orRestore: draft.previous, opening)
    } catch {
      try? FileManager.default.removeItem(at: draft.folder)
      throw error
    }
  }

  private func migrate(
    _ draft: StoreDraft,
    _ lock: any MigrationLock
  ) throws(PerennialError) {
    // Nobody else can have migrated it since, but may have before the lock was there.
    let route = try route(of: draft.url)
    let previous = draft.previous
    try makeFolder(previous.deletingLastPathComponent())
    guard !route.steps.isEmpty else { return }
    try take(route.steps, on: draft)
    try? FileManager.default.removeItem(at: previous)
    try files.put(draft, over: url, backup: previous, lock)
    tell("the migrated store has taken its place")
  }

  private func exists(_ file: URL) -> Bool {
    FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
  }

  private func route(of file: URL) throws(PerennialError) -> MigrationRoute {
    let stored = try files.storedModel(at: file, among: description.migration.models)
    return try MigrationRoute(from: stored, to: model, description)
  }

  private func tell(_ message: @autoclosure () -> String) {
    guard log.tellsMigration else { return }
    log(.migration, "the store '\(url.lastPathComponent)': \(message())")
  }

  private func makeFolder(_ folder: URL) throws(PerennialError) {
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw PerennialError(
        .migration,
        "The store '\(url.lastPathComponent)' cannot be migrated: there is no room beside it.",
        recovery:
          "see that its folder can be written and that the disk has room; the store is as it was",
        underlying: error
      )
    }
  }

  /// Opens the migrated store; puts the one before back if that fails.
  private func open(
    orRestore previous: URL,
    _ opening: () throws(PerennialError) -> any RowStore
  ) throws(PerennialError) -> any RowStore {
    do throws(PerennialError) {
      return try opening()
    } catch {
      if exists(previous) {
        tell("the migrated store cannot be opened; the one before is put back")
        _ = try? FileManager.default.replaceItemAt(url, withItemAt: previous)
      }
      throw error
    }
  }

  private func keep(_ previous: URL, as backup: URL) throws(PerennialError) {
    do throws(PerennialError) {
      // With its large values, which it shares with the store until now.
      try files.replace(at: backup, from: previous)
      tell("what it was before is kept as '\(backup.lastPathComponent)'")
    } catch {
      throw PerennialError(
        .migration,
        "The store has been migrated, but what it was cannot be kept as '\(backup.lastPathComponent)'.",
        recovery: "it lies in '\(previous.path(percentEncoded: false))'",
        underlying: error
      )
    }
  }

  // MARK: Steps

  private func take(
    _ steps: [MigrationRoute.Step],
    on draft: StoreDraft
  ) throws(PerennialError) {
    let migration = description.migration
    do {
      for step in steps { try migration.willMigrate?(step.plan) }
      let monitor = MigrationMonitor(migration.progress, stepCount: steps.count * 3 + 1)
      try monitor.step()
      for step in steps {
        tell("is migrated\(step.label.isEmpty ? "" : " (\(step.label))"):\n\(step.plan)")
        try take(step, on: draft, monitor)
      }
      monitor.finish()
    } catch let error as PerennialError {
      throw error
    } catch {
      throw PerennialError(
        .migration,
        "The program's code ended the migration of '\(url.lastPathComponent)': \(error).",
        recovery: "see the error; the store is as it was",
        underlying: error
      )
    }
  }

  private func take(
    _ step: MigrationRoute.Step,
    on draft: StoreDraft,
    _ monitor: MigrationMonitor
  ) throws {
    try deduplicate(step.plan, draft.url)
    try monitor.step()
    let before = draft.previous
    if step.body != nil {
      try? FileManager.default.removeItem(at: before)
      try FileManager.default.copyItem(at: draft.url, to: before)
    }
    var mapping = step.plan.mapping
    mapping.keepsAbstractObjects = step.body != nil
    try files.migrate(draft.url, mapping, monitor)
    if let body = step.body { try run(body, step.plan, draft.url, before, monitor) }
    try monitor.step()
  }

  /// Lets the program's code see the store as it was and as it is.
  private func run(
    _ body: (MigrationManager) throws -> Void,
    _ plan: MigrationPlan,
    _ draft: URL,
    _ before: URL,
    _ monitor: MigrationMonitor
  ) throws {
    let source = ManagedObjectContext(coordinator: try container(plan.source, before))
    let destination = ManagedObjectContext(coordinator: try container(plan.destination, draft))
    destination.name = "migration"
    try body(MigrationManager(source, destination, plan, monitor))
    if destination.hasChanges { try destination.save() }
    try RequiredValues(plan).check(destination)
    try AbstractEntities(plan).check(destination)
  }

  private func deduplicate(_ plan: MigrationPlan, _ draft: URL) throws {
    let constrained = Set(plan.changes.filter { $0.kind == .constraintAdded }.map(\.entity))
    let wanted = description.migration.deduplications.filter { constrained.contains($0.entity) }
    guard !wanted.isEmpty else { return }
    let context = ManagedObjectContext(coordinator: try container(plan.source, draft))
    for deduplication in wanted {
      let count = try deduplication.run(in: context, plan)
      tell("\(count) objects of '\(deduplication.entity)' that shared values are gone")
    }
  }

  /// A store under a name that nobody else knows.
  private func container(
    _ model: ManagedObjectModel,
    _ file: URL
  ) throws(PerennialError) -> StoreCoordinator {
    var description = description.kind == .json ? StoreDescription.json(file) : .sqlite(file)
    description.durability = .survivesProcessDeathOnly
    description.shouldMigrateStoreAutomatically = false
    let store = try StoreOpening.openAsIs(description, model: model.layout, log: .quiet)
    let isFinal = VersionHashes(of: model.layout) == VersionHashes(of: self.model.layout)
    return StoreCoordinator(store: store, classes: isFinal ? classes : [:])
  }
}
