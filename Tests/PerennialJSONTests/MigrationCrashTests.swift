// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

/// What a migration that stops in the middle leaves: the old store or the new one, each whole.
@Suite("Crashes of migrations")
struct MigrationCrashTests {
  private static let whatSystemsKeep = [
    (true, true), (true, false), (false, true), (false, false),
  ]

  private let fixture: MigrationFixture

  init() throws { fixture = try MigrationFixture() }

  /// The steps of a migration without trouble.
  private func steps(backup: URL?) throws -> [FileFailure.Step] {
    let files = try fixture.makeFiles()
    files.begin(nil)
    try fixture.migrate(files, backup: backup)
    return files.steps
  }

  @Test(arguments: [nil, MigrationFixture.backup])
  func `the process ends at any step: the old store or the new one, and a backup that is whole`(
    backup: URL?
  ) throws {
    let steps = try steps(backup: backup)
    let renamed = try #require(steps.lastIndex(of: .rename))
    #expect(steps.count > 30)
    for (number, step) in steps.enumerated() {
      let files = try fixture.makeFiles()
      files.begin(.end(step: number))
      _ = thrown { try fixture.migrate(files, backup: backup) }
      for (keepsBytes, keepsNames) in Self.whatSystemsKeep {
        let rest = files.afterCrash(keepsBytes: keepsBytes, keepsNames: keepsNames)
        let comment: Comment = "step \(number), \(step), \(keepsBytes), \(keepsNames)"
        let isNew = number > renamed + 1 || number == renamed + 1 && keepsNames
        #expect(try isNew ? fixture.isNew(rest) : fixture.isOld(rest), comment)
        if let backup, rest.names.contains(backup.path) || isNew {
          #expect(try fixture.isOld(rest, backup), comment)
        }
        guard !isNew else { continue }
        // Another attempt is not hindered by what is left.
        try fixture.migrate(rest, backup: backup)
        #expect(try fixture.isNew(rest), comment)
        if backup == nil { #expect(fixture.valueFiles(rest).count == 2, comment) }
      }
    }
  }

  @Test func `a draft that nobody has waited for is on the disk before it has the name`() throws {
    let files = try fixture.makeFiles()
    let tools = fixture.tools(files)
    let draft = StoreDraft(of: MigrationFixture.url)
    let lock = try tools.lockForMigration(at: MigrationFixture.url)
    try fixture.makeFolder(of: draft, files)
    try tools.makeDraft(of: MigrationFixture.url, in: draft, lock)
    try tools.put(draft.url, over: MigrationFixture.url, previous: nil, lock)
    for (keepsBytes, keepsNames) in Self.whatSystemsKeep {
      let rest = files.afterCrash(keepsBytes: keepsBytes, keepsNames: keepsNames)
      #expect(try fixture.isOld(rest), "\(keepsBytes), \(keepsNames)")
    }
  }

  @Test func `who watches the store hears of the new one`() throws {
    let files = try fixture.makeFiles()
    let before = files.told
    try fixture.migrate(files)
    #expect(files.told == before + ["/store.json.lock"])
  }

  @Test(arguments: [Int32(5), 28])
  func `a step that fails leaves the old store, and can be repeated`(code: Int32) throws {
    let steps = try steps(backup: MigrationFixture.backup)
    let renamed = try #require(steps.lastIndex(of: .rename))
    for (number, step) in steps.enumerated() {
      let files = try fixture.makeFiles()
      files.begin(.failure(step: number, code: code))
      let error = thrown { try fixture.migrate(files, backup: MigrationFixture.backup) }
      files.begin(nil)
      let comment: Comment = "step \(number), \(step)"
      if number <= renamed {
        // What an earlier process left need not be removed for the migration to go on.
        guard let error else {
          #expect([.remove, .look, .list, .openFolder].contains(step), comment)
          continue
        }
        #expect([.persistentStoreSave, .persistentStoreOpen].contains(error.code), comment)
        #expect(!error.recovery.isEmpty, comment)
        #expect(try fixture.isOld(files), comment)
        try fixture.migrate(files, backup: MigrationFixture.backup)
      } else {
        // Only that the name is on the disk is not sure.
        #expect((error != nil) == (number == renamed + 1), comment)
      }
      #expect(try fixture.isNew(files), comment)
      #expect(try fixture.isOld(files, MigrationFixture.backup), comment)
    }
  }

  @Test(arguments: [nil, FileFailure.Step.read, .create, .write])
  func `a migration that is cancelled leaves the old store, and 134120`(
    step: FileFailure.Step?
  ) throws {
    let files = try fixture.makeFiles()
    let before = files.bytes("/store.json")
    let values = fixture.valueFiles(files)
    let monitor = MigrationMonitor(nil, stepCount: 1)
    if let step {
      files.interrupt(before: step) { monitor.cancellation.cancel() }
    } else {
      monitor.cancellation.cancel()
    }
    let error = try #require(thrown { try fixture.migrate(files, backup: nil, monitor) })
    #expect(error.code == .migrationCancelled)
    #expect(files.bytes("/store.json") == before)
    #expect(fixture.valueFiles(files) == values)
    #expect(try fixture.isOld(files))
  }

  /// A store with two values in its text, which lie in files in the new model.
  private func grown() throws -> (
    files: ModelFiles, old: ManagedObjectModel, new: ManagedObjectModel
  ) {
    func model(_ isExternal: Bool) throws -> ManagedObjectModel {
      let photo = AttributeDescription(
        "photo",
        .binaryData,
        isOptional: true,
        allowsExternalBinaryDataStorage: isExternal
      )
      return try ManagedObjectModel(EntityDescription("Thing", properties: [.attribute(photo)]))
    }
    let (files, old) = (ModelFiles(), try model(false))
    let rows = [1, 2].map { Row($0, ["photo": .value(MigrationFixture.large(UInt8($0)))]) }
    try fixture.open(old, files).save(old.layout.insertion([("Thing", rows)]))
    return (files, old, try model(true))
  }

  @Test(arguments: [Int32(5), 28])
  func `values that are to lie in files now leave none when a step fails`(code: Int32) throws {
    let both = [MigrationFixture.large(1), MigrationFixture.large(2)]
    var number = 0
    var hasFailed = true
    while hasFailed {
      let (files, old, new) = try grown()
      let mapping = MigrationPlan(from: old, to: new).mapping
      let tools = fixture.tools(files)
      let comment: Comment = "step \(number)"
      do {
        let lock = try tools.lockForMigration(at: MigrationFixture.url)
        defer { withExtendedLifetime(lock) {} }
        let draft = StoreDraft(of: MigrationFixture.url)
        try fixture.makeFolder(of: draft, files)
        try tools.makeDraft(of: MigrationFixture.url, in: draft, lock)
        files.begin(.failure(step: number, code: code))
        let monitor = MigrationMonitor(nil, stepCount: 1)
        let error = thrown { try tools.migrate(draft.url, mapping, monitor) }
        hasFailed = files.steps.count > number
        files.begin(nil)
        if error != nil { #expect(fixture.valueFiles(files).isEmpty, comment) }
        #expect(try fixture.open(old, files).values("Thing", "photo") == both, comment)
      }
      try fixture.migrate(files, along: mapping)
      #expect(try fixture.open(new, files).values("Thing", "photo") == both, comment)
      #expect(fixture.valueFiles(files).count == 2, comment)
      number += 1
    }
    #expect(number > 10)
  }
}
