// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RandomTesting

/// One loss of power: what it leaves is written to files, and judged.
struct PowerCut {
  private let kind: StorePlace.Kind
  private let models: ShopModels
  private let ledger: ShopLedger
  private let seed: UInt64

  init(_ kind: StorePlace.Kind, _ models: ShopModels, _ ledger: ShopLedger, seed: UInt64) {
    self.kind = kind
    self.models = models
    self.ledger = ledger
    self.seed = seed
  }

  /// Every so many losses the power goes again while the program recovers, or it goes on with its work.
  private static let secondLossShare = 10
  private static let furtherWorkShare = 4

  func run(
    _ disk: Disk,
    ignoringSyncs: Bool,
    _ tally: inout PowerTally,
    named name: () -> String
  ) throws {
    var random = SeededGenerator(seed: seed)
    var loss = PowerLoss(seed: random.next(), operationCount: disk.operationCount)
    var contents = disk.contents(after: &loss)
    var isSecond = false
    if !ignoringSyncs, Int.random(in: 0..<Self.secondLossShare, using: &random) == 0 {
      isSecond = true
      contents = try afterRecovering(contents, &random)
    }
    addSharedMemory(to: &contents, &loss, &random)
    let place = try StorePlace(kind: kind, folder: MemoryFolder.make(for: PowerTrial.name))
    try contents.write(to: place.folder)
    let judge = StoreJudge(models: models)
    let finding = judge.judge(place, ledger)
    var outcome = finding.outcome
    if outcome == .kept, kind.isFull, !ignoringSyncs, let copied = ledger.copy {
      outcome = judge.judge(place.copy, ShopLedger(ledger.script, from: copied)).outcome
    }
    if outcome == .kept, !ignoringSyncs,
      Int.random(in: 0..<Self.furtherWorkShare, using: &random) == 0
    {
      outcome = try goOn(place, finding.shop, judge)
    }
    tally.note(outcome, CrashPhase(ledger), isSecond: isSecond)
    let isExpected = outcome == .kept || (outcome == .lost && !kind.isFull) || ignoringSyncs
    if isExpected {
      try FileManager.default.removeItem(at: place.folder)
    } else {
      try contents.write(to: place.folder.appending(path: "as-it-was"))
      Reliability.say(
        "power: \(name())\(isSecond ? ", twice" : ""), \(CrashPhase(ledger)): \(outcome)"
      )
      Reliability.say("power: the store is left at \(place.folder.path)")
    }
  }

  /// What is left when the power goes again while a program opens the store.
  private func afterRecovering(
    _ contents: DiskContents,
    _ random: inout SeededGenerator
  ) throws -> DiskContents {
    let place = try StorePlace(kind: kind, folder: MemoryFolder.make(for: PowerTrial.name))
    defer { try? FileManager.default.removeItem(at: place.folder) }
    try contents.write(to: place.folder)
    // What is wrong with it shows when it is judged.
    let record = try DiskRecord(of: place.folder) { _ in
      _ = StoreJudge(models: models).judge(place, ledger)
    }
    var disk = try Disk(contents)
    let count = Int.random(in: 0...record.operations.count, using: &random)
    for operation in record.operations.prefix(count) { try disk.apply(operation) }
    var loss = PowerLoss(seed: random.next(), operationCount: disk.operationCount)
    return disk.contents(after: &loss)
  }

  /// Of the memory that processes shared through a file, anything may be left, or nothing.
  private func addSharedMemory(
    to contents: inout DiskContents,
    _ loss: inout PowerLoss,
    _ random: inout SeededGenerator
  ) {
    guard contents.files["Shop.sqlite-wal"] != nil, Bool.random(using: &random) else { return }
    let count = [0, 512, 32_768].randomElement(using: &random) ?? 0
    contents.files["Shop.sqlite-shm"] = loss.garbage(count)
  }

  /// A store that has survived must be one to work with.
  private func goOn(
    _ place: StorePlace,
    _ shop: Shop?,
    _ judge: StoreJudge
  ) throws -> StoreJudge.Outcome {
    var further = shop.map { ShopLedger(ledger.script, from: $0) } ?? ShopLedger(ledger.script)
    let writer = ShopWriter(place, models, ledger.script) { further.note($0) }
    do {
      try writer.open(shop?.version.other ?? .old)
      try writer.save()
      writer.close()
    } catch {
      return .corrupt("going on with it: \(error)")
    }
    return judge.judge(place, further).outcome
  }
}

extension DiskContents {
  /// What is in a folder, but for memory that processes share through a file.
  init(of folder: URL) throws {
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() {
      let file = folder.appending(path: path)
      if path.hasSuffix("-shm") { continue }
      if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
        folders.append(path)
      } else {
        files[path] = Array(try Data(contentsOf: file))
      }
    }
  }

  /// Makes the files in a folder, which is made if it is not there.
  func write(to folder: URL) throws {
    let manager = FileManager.default
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    for path in folders {
      try manager.createDirectory(
        at: folder.appending(path: path),
        withIntermediateDirectories: true
      )
    }
    for (path, bytes) in files { try Data(bytes).write(to: folder.appending(path: path)) }
  }
}
