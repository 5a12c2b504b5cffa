// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The stores of one number of commits, and what measures operations on them.
struct Sitting {
  private let stores: StoreFiles
  private let measure: Measure
  let rows: Int
  private let isAlone: Bool

  /// Makes the stores in a folder of their own.
  ///
  /// When `isSparing`, each contestant runs once and is not warmed up.
  init(
    in folder: URL,
    rows: Int,
    largeRows: Int,
    options: Options,
    isSparing: Bool = false
  ) throws {
    self.rows = rows
    isAlone = options.isAlone
    let folder = folder.appending(path: String(rows))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let workload = Workload(rows: rows)
    stores = try StoreFiles(
      in: folder,
      workload: workload,
      largeRows: largeRows,
      createStore: Bench.createStore,
      indexText: Bench.indexText
    )
    measure = Measure(
      workload: workload,
      stores: stores,
      repetitions: isSparing ? 1 : Measure.repetitions(rows: rows),
      isWarmedUp: !isSparing,
      clock: options.isProcessorTime ? .processor : .wall
    )
  }

  /// How many rows an operation reads or writes.
  func rows(of operation: Operation) throws -> Int {
    try operation.isLarge ? stores.large().rows : rows
  }

  /// The contestants of an operation that take part here.
  func contestants(for operation: Operation) -> [Contestant] {
    Bench.contestants(for: operation).filter { !isAlone || $0.role == .ours }
  }

  /// Measures an operation once more, as often as this size is measured.
  func measure(
    _ operation: Operation,
    _ contestants: [Contestant],
    into samples: inout Samples
  ) throws {
    guard operation.isMemory else {
      return try measure.measure(operation, contestants, into: &samples)
    }
    let isLarge = operation.isLarge
    let file = try isLarge ? stores.large().file : stores.copyOfFilled()
    defer { if !isLarge { stores.remove(file) } }
    let trial = Trial(file: file, workload: stores.workload, rows: try rows(of: operation))
    for (index, contestant) in contestants.enumerated() {
      // What a worker only opens is made here.
      if !isLarge { _ = try contestant.prepare(trial) }
      let bytes = try MemoryWorker.bytesPerObject(
        operation,
        contestant.role,
        file: file,
        rows: trial.rows
      )
      samples.add(bytes, to: index)
    }
  }

  /// How much slower raw Swift reads all here than on the machine of the performance page.
  func slowness() throws -> Double {
    let yardstick = RawContestants.contestants(for: .readAll).filter { $0.role == .yardstick }
    var samples = Samples(of: yardstick.map(\.role))
    try measure.measure(.readAll, yardstick, into: &samples)
    return samples.median(of: 0) / Double(rows) / (89.8 / 100_000)
  }
}
