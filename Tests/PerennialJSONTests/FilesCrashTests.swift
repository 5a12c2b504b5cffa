// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialJSON

/// What is left of a store that is replaced or deleted while it is closed, when that stops in the middle.
@Suite("Crashes of what is done to closed stores")
struct FilesCrashTests {
  private static let target = URL(filePath: "/store.json")
  private static let source = URL(filePath: "/source.json")
  private static let whatSystemsKeep = [
    (true, true), (true, false), (false, true), (false, false),
  ]

  private let model: ModelLayout

  init() throws { model = try TestModels.types() }

  /// What is large here, so that the checksums do not take the time.
  private static let threshold = 1_000

  private static func large(_ seed: UInt8) -> PropertyValue {
    .data(Data(repeating: seed, count: threshold + 1))
  }

  private static let old = [large(1), large(2)]
  private static let new = [large(3)]

  private func open(_ url: URL, _ files: ModelFiles) throws -> JSONStore {
    let file = StoreFile(path: url.path)
    return try JSONStore(
      file,
      model: model,
      files: files,
      largestInlineCount: Self.threshold
    )
  }

  private func make(_ url: URL, _ values: [PropertyValue], in files: ModelFiles) throws {
    let store = try open(url, files)
    let rows = values.enumerated().map { Row(Int64($0) + 1, ["aFile": .value($1)]) }
    try store.save(model.insertion([("Thing", rows)]))
  }

  private func makeFiles() throws -> ModelFiles {
    let files = ModelFiles()
    try make(Self.target, Self.old, in: files)
    try make(Self.source, Self.new, in: files)
    return files
  }

  private func values(_ url: URL, in files: ModelFiles) throws -> [PropertyValue] {
    try open(url, files).values("Thing", "aFile")
  }

  /// Lets an action end at every step, at last after all of them, and looks at what is left.
  private func forEveryStep(
    of action: (JSONFiles) throws -> Void,
    _ check: (_ files: ModelFiles, _ isDone: Bool, Comment) throws -> Void
  ) throws {
    var number = 0
    var hasEnded = false
    while !hasEnded {
      let files = try makeFiles()
      files.begin(.end(step: number))
      // What fails after all that counts is not told.
      _ = thrown { try action(JSONFiles(busyTimeout: .zero, files: files)) }
      hasEnded = files.steps.count <= number
      for (keepsBytes, keepsNames) in Self.whatSystemsKeep {
        let rest = files.afterCrash(keepsBytes: keepsBytes, keepsNames: keepsNames)
        try check(rest, hasEnded, "step \(number), \(keepsBytes), \(keepsNames)")
      }
      number += 1
    }
    #expect(number > 5)
  }

  @Test func `a store that is replaced is the old one or the new one, and the source stays`() throws
  {
    func replace(_ files: JSONFiles) throws {
      try files.replace(at: Self.target, from: Self.source)
    }
    try forEveryStep(of: replace) { files, isDone, comment in
      let found = try values(Self.target, in: files)
      #expect(found == Self.new || !isDone && found == Self.old, comment)
      #expect(try values(Self.source, in: files) == Self.new, comment)
      // Done again, it is done wholly.
      try replace(JSONFiles(busyTimeout: .zero, files: files))
      #expect(try values(Self.target, in: files) == Self.new, comment)
      #expect(files.names.filter { $0.hasPrefix("/store.json.") }.count == 2, comment)
    }
  }

  @Test func `a store that is deleted is there wholly, or no store, and goes with another call`()
    throws
  {
    func destroy(_ files: JSONFiles) throws { try files.destroy(at: Self.target) }
    try forEveryStep(of: destroy) { files, isDone, comment in
      if files.names.contains("/store.json") {
        #expect(!isDone, comment)
        #expect(try values(Self.target, in: files) == Self.old, comment)
      }
      try destroy(JSONFiles(busyTimeout: .zero, files: files))
      #expect(files.names.filter { $0.hasPrefix("/store.json") }.isEmpty, comment)
      #expect(try values(Self.source, in: files) == Self.new, comment)
    }
  }

  @Test func `metadata of a closed store are the old ones or the new ones`() throws {
    func set(_ files: JSONFiles) throws {
      var metadata = try files.metadata(at: Self.target)
      metadata["owner"] = .string("Ann")
      try files.setMetadata(metadata, at: Self.target)
    }
    try forEveryStep(of: set) { files, isDone, comment in
      let closed = JSONFiles(busyTimeout: .zero, files: files)
      let found = try closed.metadata(at: Self.target)["owner"]
      #expect(found == .string("Ann") || !isDone && found == nil, comment)
      #expect(try values(Self.target, in: files) == Self.old, comment)
      try set(closed)
      #expect(try closed.metadata(at: Self.target)["owner"] == .string("Ann"), comment)
    }
  }

  @Test func `metadata of another store are refused, and nothing is changed`() throws {
    let files = try makeFiles()
    let closed = JSONFiles(busyTimeout: .zero, files: files)
    let before = files.bytes("/store.json")
    let others = try closed.metadata(at: Self.source)
    let error = thrown { try closed.setMetadata(others, at: Self.target) }
    #expect(error?.code == .persistentStoreSave)
    #expect(files.bytes("/store.json") == before)
  }

  @Test func `who saves the source while it is copied is waited for`() throws {
    let files = try makeFiles()
    let store = try open(Self.source, files)
    var changes = ChangeSet()
    let row = Row(1, version: 2, ["aFile": .value(Self.old[0])])
    changes.updates = [model.update("Thing", ["aFile"], [row])]
    let change = changes
    files.interrupt(before: .list) { #expect(throws: Never.self) { try store.save(change) } }
    try JSONFiles(busyTimeout: .zero, files: files).replace(at: Self.target, from: Self.source)
    #expect(try values(Self.target, in: files) == [Self.old[0]])
    #expect(files.names.filter { $0.hasPrefix("/store.json.values/") }.count == 1)
  }

  @Test func `a copy that failed is not there, and can be made again`() throws {
    let copy = URL(filePath: "/copy.json")
    for number in 0... {
      let files = try makeFiles()
      let store = try open(Self.source, files)
      files.begin(.failure(step: number, code: 5))
      let error = thrown { try store.copy(to: copy) }
      let isWhole = files.steps.count <= number
      files.begin(nil)
      if error != nil {
        #expect(!files.names.contains("/copy.json"), "step \(number)")
        try store.copy(to: copy)
      }
      #expect(try values(copy, in: files) == Self.new, "step \(number)")
      if isWhole { return #expect(number > 5) }
    }
  }

  @Test func `a store that somebody makes while another one is copied to its place stays`() throws {
    let copy = URL(filePath: "/copy.json")
    let files = try makeFiles()
    files.interrupt(before: .lock) {
      #expect(throws: Never.self) { try make(copy, Self.old, in: files) }
    }
    let error = thrown {
      try JSONFiles(busyTimeout: .zero, files: files).copy(from: Self.source, to: copy)
    }
    #expect(error?.code == .persistentStoreSave)
    #expect(try values(copy, in: files) == Self.old)
  }

  @Test func `a replacement that failed leaves the old store as it was, or the new one wholly`()
    throws
  {
    func valueCount(_ files: ModelFiles) -> Int {
      files.names.filter { $0.hasPrefix("/store.json.values/") }.count
    }
    for number in 0... {
      let files = try makeFiles()
      let closed = JSONFiles(busyTimeout: .zero, files: files)
      files.begin(.failure(step: number, code: 5))
      let error = thrown { try closed.replace(at: Self.target, from: Self.source) }
      let isWhole = files.steps.count <= number
      files.begin(nil)
      let count = valueCount(files)
      let found = try values(Self.target, in: files)
      #expect(found == Self.new || error != nil && found == Self.old, "step \(number)")
      if found == Self.old { #expect(count == Self.old.count, "step \(number)") }
      // Done again, it is done wholly.
      try closed.replace(at: Self.target, from: Self.source)
      #expect(try values(Self.target, in: files) == Self.new, "step \(number)")
      #expect(valueCount(files) == Self.new.count, "step \(number)")
      if isWhole { return #expect(number > 5) }
    }
  }

  @Test func `a file that cannot be looked at is not taken for none by a copy`() throws {
    let files = try makeFiles()
    let store = try open(Self.source, files)
    for number in 0..<3 {
      files.begin(.failure(step: number, code: 5))
      #expect(thrown { try store.copy(to: Self.target) } != nil)
    }
    files.begin(nil)
    #expect(try values(Self.target, in: files) == Self.old)
  }
}
