// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore

/// Migrates the store of a description, before it is opened.
///
/// Everything is done on a draft. The draft is the rehearsal: its objects are counted and its rules are checked;
/// only then it gets the store's name. Until that step whatever fails, or ends the process, leaves the store as
/// it was.
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

  /// Migrates the store and opens it; `nil` when others have migrated it meanwhile.
  ///
  /// Who waits for users of the store has it alone for a moment at a time: others may open and leave it in between.
  ///
  /// - Parameters:
  ///   - turn: Turns for the store, and how long to wait.
  ///   - opening: Opens the store; when it throws, the store that there was is put back.
  /// - Returns: The open store.
  /// - Throws: Why the store cannot be migrated: 134100, 134110, 134111, 134120, or the store's error.
  func run(
    _ turn: StoreTurn,
    _ opening: () throws(PerennialError) -> any RowStore
  ) throws(PerennialError) -> (any RowStore)? {
    // What is refused is refused before anything is touched.
    _ = try turn.open { () throws(PerennialError) in try route(of: url) }
    if let backup = description.migration.backup { try check(backup) }
    return try turn.retrying { _ throws(PerennialError) in
      try turn.replace { () throws(PerennialError) in try attempt(opening) }
    }
  }

  /// Migrates the store if nobody has it open; the failure says that somebody has.
  private func attempt(
    _ opening: () throws(PerennialError) -> any RowStore
  ) throws(PerennialError) -> Result<(any RowStore)?, PerennialError> {
    let lock: any MigrationLock
    do throws(PerennialError) {
      lock = try files.lockForMigration(at: url)
    } catch {
      guard error.code == .persistentStoreTimeout else { throw error }
      // Whoever has migrated it may keep it open.
      return try fitsByNow() ? .success(nil) : .failure(error)
    }
    return .success(try replace(lock, opening))
  }

  /// Whether others have migrated the store, so that it fits; one that is locked does not yet.
  private func fitsByNow() throws(PerennialError) -> Bool {
    var description = description
    description.busyTimeout = .zero
    guard let files = try StoreOpening.files(of: description).0 as? any MigratableFiles,
      let stored = try? files.storedModel(at: url, among: description.migration.models)
    else { return false }
    return try MigrationRoute(from: stored, to: model, description).steps.isEmpty
  }

  /// Migrates a draft, puts it in the store's place, and opens it; `nil` when there is nothing to do.
  private func replace(
    _ lock: any MigrationLock,
    _ opening: () throws(PerennialError) -> any RowStore
  ) throws(PerennialError) -> (any RowStore)? {
    defer { withExtendedLifetime(lock) {} }
    // What processes left that ended in the middle.
    StoreDraft.removeAll(of: url)
    let draft = StoreDraft(of: url)
    let values = try files.largeValues(beside: url)
    let unneeded: Set<String>
    do throws(PerennialError) {
      try makeFolder(draft.folder)
      try files.makeDraft(of: url, in: draft, lock)
      guard try migrate(draft) else {
        draft.remove()
        return nil
      }
      let named = try files.largeValues(namedBy: draft.url, model.layout)
      unneeded = try largeValues(notAmong: values == nil ? nil : named)
      if let backup = description.migration.backup {
        try keep(as: backup, lock)
        files.removeLargeValues(added(to: values), beside: backup)
      }
    } catch {
      files.removeLargeValues(added(to: values), beside: url)
      draft.remove()
      throw error
    }
    let exchange = StoreExchange(of: url, for: draft, files, lock) { tell($0) }
    let store: any RowStore
    do throws(PerennialError) {
      store = try exchange.run(opening)
    } catch {
      // As long as the draft's folder is there, the store may be what names them.
      if !draft.isThere { files.removeLargeValues(added(to: values), beside: url) }
      throw error
    }
    files.removeLargeValues(unneeded, beside: url)
    draft.remove()
    return store
  }

  /// The large values beside the store that are not among some, as far as they may be deleted.
  ///
  /// - Parameter values: Those that stay; `nil` when another store could name others as the migration began, which may
  ///   be gone for a while only.
  /// - Returns: The names.
  /// - Throws: Why they cannot be listed.
  private func largeValues(
    notAmong values: Set<String>?
  ) throws(PerennialError) -> Set<String> {
    guard let values, let all = try files.largeValues(beside: url) else { return [] }
    return all.subtracting(values)
  }

  /// The large values that the draft has written; those that cannot be listed only take room.
  private func added(to values: Set<String>?) -> Set<String> {
    (try? largeValues(notAmong: values)) ?? []
  }

  /// Takes all steps on a draft.
  ///
  /// - Returns: Whether there were any.
  private func migrate(_ draft: StoreDraft) throws(PerennialError) -> Bool {
    let route = try route(of: draft.url)
    guard !route.steps.isEmpty else { return false }
    try makeFolder(draft.previous.deletingLastPathComponent())
    try take(route.steps, on: draft)
    return true
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

  // MARK: Backup

  private func check(_ backup: URL) throws(PerennialError) {
    let backup = backup.resolvingSymlinksInPath()
    let name = backup.lastPathComponent
    let hasLargeValues =
      model.layout.entities.contains(where: \.allowsExternalValues)
      ? true : try files.largeValues(beside: url)?.isEmpty == false
    guard backup != url, !hasLargeValues || !files.sharesLargeValues(backup, with: url) else {
      throw .migrationFailed(
        "The migration's backup '\(name)' would have files in common with the store.",
        "give it another name before its extension, or another folder; the store is as it was"
      )
    }
    let folder = backup.deletingLastPathComponent().path(percentEncoded: false)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
    else {
      throw .migrationFailed(
        "There is no folder for the migration's backup '\(name)'.",
        "make the folder; the store is as it was"
      )
    }
    // What is there is replaced if it is a store.
    if FileManager.default.fileExists(atPath: backup.path(percentEncoded: false)) {
      _ = try files.metadata(at: backup)
    }
  }

  private func keep(as backup: URL, _ lock: any MigrationLock) throws(PerennialError) {
    do throws(PerennialError) {
      try files.keep(url, as: backup, lock)
      tell("what it was before is kept as '\(backup.lastPathComponent)'")
    } catch {
      throw PerennialError(
        .migration,
        "The store '\(url.lastPathComponent)' cannot be kept as '\(backup.lastPathComponent)'.",
        recovery: "see the error; the store is as it was",
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
    let obstacles = try deduplicate(step.plan, draft.url)
    try close(draft.url)
    try monitor.step()
    let before = draft.previous
    if step.body != nil {
      try? FileManager.default.removeItem(at: before)
      try FileManager.default.copyItem(at: draft.url, to: before)
    }
    var mapping = step.plan.mapping
    mapping.keepsAbstractObjects = step.body != nil
    mapping.allowsLoss = description.migration.allowsLoss
    try migrate(draft.url, mapping, monitor, obstacles)
    if let body = step.body {
      try run(body, step.plan, draft.url, before, monitor)
      try close(draft.url)
    }
    try monitor.step()
  }

  private func migrate(
    _ draft: URL,
    _ mapping: ModelMapping,
    _ monitor: MigrationMonitor,
    _ obstacles: [Deduplication.Obstacle]
  ) throws(PerennialError) {
    do throws(PerennialError) {
      try files.migrate(draft, mapping, monitor)
    } catch {
      throw error.explained(by: obstacles)
    }
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
    try destination.save()
    try RequiredValues(plan).check(destination)
    try AbstractEntities(plan).check(destination)
  }

  /// Sees that all of a draft lies in its file, and that nobody has it open any more.
  private func close(_ draft: URL) throws(PerennialError) {
    do throws(PerennialError) {
      _ = try files.lockForMigration(at: draft)
    } catch {
      guard error.code == .persistentStoreTimeout else { throw error }
      throw .migrationFailed(
        "The program's code has kept a context of the migration of '\(url.lastPathComponent)'.",
        "keep neither the contexts nor the objects of a MigrationManager; the store is as it was"
      )
    }
  }

  /// Removes duplicates.
  ///
  /// - Returns: Why deduplications are not done that the program has declared.
  private func deduplicate(
    _ plan: MigrationPlan,
    _ draft: URL
  ) throws(PerennialError) -> [Deduplication.Obstacle] {
    var obstacles: [Deduplication.Obstacle] = []
    for deduplication in description.migration.deduplications {
      switch deduplication.search(plan) {
      case .failure(let obstacle): obstacles.append(obstacle)
      case .success(let search):
        let coordinator = try container(plan.source, draft)
        let groups = try search.groups(in: coordinator.store)
        let remover = DuplicateRemover(coordinator, plan.mapping, keeping: deduplication.keeping)
        let count = try remover.run(groups)
        tell("\(count) objects of '\(deduplication.entity)' that shared values are gone")
      }
    }
    return obstacles
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
    let isFinal = model.layout.isSameVersion(as: self.model.layout)
    return StoreCoordinator(store: store, classes: isFinal ? classes : [:])
  }
}
