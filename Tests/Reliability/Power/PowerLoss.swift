// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import RandomTesting

/// What a loss of power leaves of what has not been brought to the disk.
struct PowerLoss {
  /// What becomes of the bytes that were written.
  private enum Bytes: CaseIterable {
    case none, all, some, someGarbled
  }

  /// What becomes of names that were given and taken.
  private enum Names: CaseIterable {
    case none, all, first, some
  }

  private let bytes: Bytes
  private let names: Names
  /// Of names, the operations up to this one are kept if the first ones are.
  private let lastOperation: Int
  private var random: SeededGenerator
  private var isKept: [Int: Bool] = [:]

  /// What a disk writes at once.
  private static let sectorByteCount = 512

  /// A loss after some operations; a seed says which.
  init(seed: UInt64, operationCount: Int) {
    random = SeededGenerator(seed: seed)
    bytes = Bytes.allCases.randomElement(using: &random) ?? .some
    names = Names.allCases.randomElement(using: &random) ?? .some
    // Recent ones are of more interest than old ones.
    let back = Int.random(in: 0...6, using: &random)
    lastOperation = operationCount - (1 << back) * Int.random(in: 0...2, using: &random)
  }

  /// The names that are left in a folder.
  mutating func names(in folder: DiskFolder) -> [String: DiskEntry] {
    var left = folder.durable
    for change in folder.pending where keeps(change.operation) { left[change.name] = change.entry }
    return left
  }

  private mutating func keeps(_ operation: Int) -> Bool {
    switch names {
    case .none: return false
    case .all: return true
    case .first: return operation <= lastOperation
    case .some:
      if let known = isKept[operation] { return known }
      let choice = Bool.random(using: &random)
      isKept[operation] = choice
      return choice
    }
  }

  /// The bytes that are left in a file.
  mutating func bytes(of file: DiskFile) -> [UInt8] {
    switch bytes {
    case .none: return file.durable
    case .all: return file.bytes
    case .some, .someGarbled: break
    }
    guard !file.pending.isEmpty else { return file.durable }
    var left = file.durable
    for change in file.pending {
      switch change {
      case .bytes(let new, let place): put(new, at: place, into: &left)
      case .length: if Bool.random(using: &random) { left.apply(change) }
      }
    }
    // The file has got its length, but not its bytes.
    let byteCount = file.bytes.count
    if left.count < byteCount, Bool.random(using: &random) { left.setLength(byteCount) }
    return left
  }

  /// Keeps, drops or garbles each sector of what was written.
  ///
  /// Of a sector that was written in part, the other part stays as it was: SQLite counts on that, too
  /// ("Powersafe Overwrite").
  private mutating func put(_ new: ArraySlice<UInt8>, at place: Int, into left: inout [UInt8]) {
    var start = place
    let end = place + new.count
    while start < end {
      let next = min(end, (start / Self.sectorByteCount + 1) * Self.sectorByteCount)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: break
      case 1 where bytes == .someGarbled: left.put(garbage(next - start)[...], at: start)
      default:
        let from = new.startIndex + start - place
        left.put(new[from..<from + next - start], at: start)
      }
      start = next
    }
  }

  /// Bytes that nobody has written.
  mutating func garbage(_ count: Int) -> [UInt8] {
    let start = Int.random(in: 0...Self.noise.count - count, using: &random)
    return Array(Self.noise[start..<start + count])
  }

  /// Of 64 KiB, any part.
  private static let noise: [UInt8] = {
    var random = SeededGenerator(seed: 0x0153)
    return (0..<65_536).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }()
}
