// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RandomTesting

/// What a program did with a store, as its disk saw it; the power may go at any moment of it.
struct PowerWork {
  private let kind: StorePlace.Kind
  private let models: ShopModels
  private let seed: UInt64
  private let script: ShopScript
  private let record: DiskRecord
  private let events: [ShopEvent]

  /// Lets a program work to its end.
  init(_ kind: StorePlace.Kind, _ models: ShopModels, seed: UInt64, isHeavy: Bool) throws {
    self.kind = kind
    self.models = models
    self.seed = seed
    let rounds: ShopScript.Rounds? = isHeavy ? .init(count: 14, lightCount: 6) : nil
    script = ShopScript(seed: seed, rounds: rounds)
    let place = try StorePlace(kind: kind, folder: MemoryFolder.make(for: PowerTrial.name))
    defer { try? FileManager.default.removeItem(at: place.folder) }
    var events: [ShopEvent] = []
    record = try DiskRecord(of: place.folder) { [script] mark in
      let writer = ShopWriter(place, models, script) {
        mark(events.count)
        events.append($0)
      }
      try Self.work(writer, seed: seed, isHeavy: isHeavy)
    }
    self.events = events
    try check(place)
  }

  /// Sessions of saves, with the model's versions in turn.
  private static func work(_ writer: ShopWriter, seed: UInt64, isHeavy: Bool) throws {
    var random = SeededGenerator(seed: seed)
    var version = ShopVersion.allCases.randomElement(using: &random) ?? .old
    for session in 0..<4 {
      try writer.open(version)
      if Int.random(in: 0..<3, using: &random) == 0 { try writer.tidy() }
      let saves = isHeavy && session == 1 ? 14 : Int.random(in: 1...6, using: &random)
      for _ in 0..<saves { try writer.save() }
      let isCopied = Int.random(in: 0..<4, using: &random) == 0
      if isCopied { try writer.backUp() }
      if isCopied { try writer.save() }
      writer.close()
      if isCopied { try writer.replace() }
      if Int.random(in: 0..<4, using: &random) > 0 { version = version.other }
    }
  }

  /// The record must have everything: what it makes of a disk is what the files are.
  private func check(_ place: StorePlace) throws {
    var disk = Disk()
    for operation in record.operations { try disk.apply(operation) }
    let contents = try DiskContents(of: place.folder)
    guard disk.contents == contents else {
      let names = Set(disk.contents.files.keys).symmetricDifference(contents.files.keys).sorted()
      let differing = contents.files.keys.filter { disk.contents.files[$0] != contents.files[$0] }
      throw TrialFailure("the record lacks something of \(kind): \(names) \(differing.sorted())")
    }
  }

  /// Lets the power go at so many moments, which lie evenly over the work.
  func losePower(_ count: Int, ignoringSyncs: Bool, _ tally: inout PowerTally) throws {
    var random = SeededGenerator(seed: seed ^ 0x5EED)
    var disk = Disk(ignoresSyncs: ignoringSyncs)
    var ledger = ShopLedger(script)
    var next = 0
    for number in 0..<count {
      // One of the operations of its share.
      let all = record.operations.count
      let moment = (number * all + Int.random(in: 0..<all, using: &random)) / count
      while next <= moment {
        let operation = record.operations[next]
        try disk.apply(operation)
        if case .mark(let event) = operation { ledger.note(events[event]) }
        next += 1
      }
      let trial = PowerCut(kind, models, ledger, seed: random.next())
      try trial.run(disk, ignoringSyncs: ignoringSyncs, &tally) {
        "\(kind), seed \(seed), loss \(number) after operation \(moment)"
      }
    }
  }
}
