// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import RowTesting

/// A JSON store of which one bit has another value: it is found, and the file stays as it is.
enum JSONDamage {
  typealias Breach = FaultRun.Breach

  static var job: FaultJob {
    FaultJob(
      "bits/json",
      shortCount: 250,
      [
        ("text", { try series(open) { $0 == JSONShelf.path } }),
        ("values", { try series(open) { $0 != JSONShelf.path } }),
        ("saving", { try series(save) { $0 == JSONShelf.path } }),
      ]
    )
  }

  /// Opens a damaged store and reads it.
  private static func open(_ shelf: JSONShelf, damaging damage: () -> Void) throws {
    damage()
    _ = try shelf.contents()
  }

  /// Saves to a store that is damaged after it was opened.
  private static func save(_ shelf: JSONShelf, damaging damage: () -> Void) throws {
    let context = try shelf.open()
    try ShelfModel.change(context, scale: JSONShelf.scale)
    damage()
    try context.save()
  }

  /// All bits of some files.
  private static func series(
    _ action: @escaping (JSONShelf, () -> Void) throws -> Void,
    _ isMeant: (String) -> Bool
  ) throws -> FaultJob.Series {
    let shelf = try JSONShelf.filled()
    // The file of the lock says nothing of the store.
    let files = shelf.files.names.filter { !$0.hasSuffix(".lock") && isMeant($0) }.sorted()
      .map { ($0, shelf.files.bytes($0) ?? []) }
    let count = files.reduce(0) { $0 + $1.1.count * 8 }
    guard count > 0 else {
      throw Breach(kind: .partial, message: "there are no bits to change")
    }
    return FaultJob.Series(count: count) { number in
      var bit = number - 1
      for (path, bytes) in files {
        if bit < bytes.count * 8 { return try flip(bit, of: path, bytes, shelf.copy(), action) }
        bit -= bytes.count * 8
      }
      return nil
    }
  }

  private static func flip(
    _ bit: Int,
    of path: String,
    _ bytes: [UInt8],
    _ shelf: JSONShelf,
    _ action: (JSONShelf, () -> Void) throws -> Void
  ) throws -> String {
    var damaged = bytes
    damaged[bit / 8] ^= 1 << UInt8(bit % 8)
    let names = shelf.files.names
    do {
      try action(shelf) { shelf.files.put(damaged, at: path) }
    } catch let error as PerennialError where !error.recovery.isEmpty {
      guard shelf.files.bytes(path) == damaged, shelf.files.names.isSubset(of: names) else {
        throw Breach(kind: .lost, message: "a damaged store was changed")
      }
      return "\(error.code.rawValue)"
    } catch {
      throw Breach(kind: .untyped, message: "\(error)")
    }
    throw Breach(kind: .partial, message: "bit \(bit) of '\(path)' may have any value")
  }
}
