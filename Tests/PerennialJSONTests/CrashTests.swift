// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

/// What a save that stops in the middle leaves: the old contents or the new ones, never others.
@Suite("Crashes")
struct CrashTests {
  private let model: ModelLayout
  private let file = StoreFile(path: "/store.json")

  init() throws { model = try TestModels.people() }

  private func open(_ files: ModelFiles) throws -> JSONStore {
    try JSONStore(file, model: model, files: files)
  }

  /// A store with one person, whose next save takes that one's version to 2.
  private func makeStore() throws -> (ModelFiles, JSONStore) {
    let files = ModelFiles()
    let store = try open(files)
    try store.save(model.insertion([("Person", [Row(1, ["name": "old"])])]))
    return (files, store)
  }

  private var change: ChangeSet {
    var changes = model.insertion([("Person", [Row(2, ["name": "second"])])])
    changes.updates = [model.update("Person", ["name"], [Row(1, version: 2, ["name": "new"])])]
    return changes
  }

  /// What a system may have written by itself: bytes, names.
  private static let whatSystemsKeep = [
    (true, true), (true, false), (false, true), (false, false),
  ]
  private static let old: [PropertyValue] = [.string("old")]
  private static let new: [PropertyValue] = [.string("new"), .string("second")]

  private func names(_ files: ModelFiles) throws -> [PropertyValue] {
    try open(files).values("Person", "name")
  }

  /// The steps of a save without trouble.
  private func steps() throws -> [FileFailure.Step] {
    let (files, store) = try makeStore()
    files.begin(nil)
    try store.save(change)
    return files.steps
  }

  @Test func `a save writes beside the store, waits, renames, and waits again`() throws {
    #expect(
      try steps() == [
        .lock, .look, .remove, .create, .write, .write, .sync, .look, .rename, .syncFolder,
      ]
    )
  }

  @Test(arguments: [Int32(5), 28])
  func `a step that fails leaves the old contents, the context's changes, and no other file`(
    code: Int32
  ) throws {
    let steps = try steps()
    for (number, step) in steps.enumerated() {
      let (files, store) = try makeStore()
      files.begin(.failure(step: number, code: code))
      let change = change
      let error = try #require(thrown { try store.save(change) }, "step \(number), \(step)")
      #expect(error.code == .persistentStoreSave)
      #expect(!error.recovery.isEmpty)
      #expect(error.message.contains("is full") == (code == 28))
      #expect(error.recovery.contains("on the disk already") == (step == .syncFolder))
      #expect(!files.names.contains("/store.json.new"))
      files.begin(nil)
      // Only the name in the folder was not waited for.
      let expected = step == .syncFolder ? Self.new : Self.old
      #expect(try store.values("Person", "name") == expected)
      #expect(try names(files) == expected)
      // The same set, given again.
      try store.save(change)
      #expect(try names(files) == Self.new)
    }
  }

  @Test func `the process ends at any step: the old contents or the new ones`() throws {
    let steps = try steps()
    for number in steps.indices {
      let (files, store) = try makeStore()
      files.begin(.end(step: number))
      #expect(thrown { try store.save(change) } != nil)
      try check(files, isRenamed: number > (steps.firstIndex(of: .rename) ?? 0))
    }
  }

  @Test func `the process ends after any byte: the old contents`() throws {
    let (probe, probeStore) = try makeStore()
    try probeStore.save(change)
    let count = try #require(probe.bytes("/store.json")).count
    for byteCount in 0..<count {
      let (files, store) = try makeStore()
      let old = files.bytes("/store.json")
      files.begin(.endWriting(byteCount: byteCount))
      #expect(thrown { try store.save(change) } != nil)
      #expect(files.bytes("/store.json.new")?.count == byteCount)
      for (keepsBytes, keepsNames) in Self.whatSystemsKeep {
        let rest = files.afterCrash(keepsBytes: keepsBytes, keepsNames: keepsNames)
        #expect(rest.bytes("/store.json") == old)
      }
      // Opening them takes time, and they are the same.
      if byteCount % 97 == 0 { try check(files, isRenamed: false) }
    }
  }

  /// Opens what is left, in every way in which a system may have written by itself, and saves again.
  private func check(_ files: ModelFiles, isRenamed: Bool) throws {
    for (keepsBytes, keepsNames) in Self.whatSystemsKeep {
      let rest = files.afterCrash(keepsBytes: keepsBytes, keepsNames: keepsNames)
      let expected = isRenamed && keepsNames ? Self.new : Self.old
      #expect(try names(rest) == expected)
      if expected == Self.old {
        try open(rest).save(change)
        #expect(try names(rest) == Self.new)
        #expect(!rest.names.contains("/store.json.new"))
      }
    }
  }

  @Test func `a store that is made is there wholly or not at all`() throws {
    let whole = ModelFiles()
    _ = try open(whole)
    for number in whole.steps.indices {
      let files = ModelFiles()
      files.begin(.end(step: number))
      #expect(thrown { _ = try open(files) } != nil)
      for keepsNames in [true, false] {
        let rest = files.afterCrash(keepsBytes: false, keepsNames: keepsNames)
        #expect(try names(rest).isEmpty)
      }
    }
  }

  @Test
  func
    `without waiting for the disk a save survives the end of the process, and is never half there`()
    throws
  {
    let files = ModelFiles()
    let store = try JSONStore(file, model: model, files: files, waitsForDisk: false)
    files.begin(nil)
    try store.save(model.insertion([("Person", [Row(1, ["name": "old"])])]))
    #expect(!files.steps.contains(.syncFolder))
    #expect(try names(files.afterCrash(keepsBytes: true, keepsNames: true)) == Self.old)
    // The machine has ended: the name may be there, but does not lead to bytes that are not.
    #expect(try names(files.afterCrash(keepsBytes: false, keepsNames: true)) == Self.old)
    #expect(try names(files.afterCrash(keepsBytes: false, keepsNames: false)) == [])
  }
}
