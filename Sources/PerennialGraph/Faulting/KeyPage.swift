// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// A page of keys instead of rows: what a fault holds in place of the page of its row, so that it
// knows which others to load with it. It costs nothing in the object and goes with the last of them.
//
// Safe because the words are written before the page is made of them, and never after.

extension RowPage {
  /// Why a page of keys was made.
  enum KeyPurpose: Int64 {
    /// Its keys are those of one batch of a fetch.
    case batch = 0
    /// Its keys are what a to-one slot of a page's rows refers to; rows that come are kept.
    case targets = 1
  }

  /// A page without rows that holds keys.
  static func keys(_ keys: some Collection<Int64>, for purpose: KeyPurpose) -> RowPage {
    let byteCount = 8 * (keys.count + 1)
    let block = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
    block.storeBytes(of: purpose.rawValue, as: Int64.self)
    for (place, key) in keys.enumerated() {
      block.storeBytes(of: key, toByteOffset: 8 * (place + 1), as: Int64.self)
    }
    return RowPage(adopting: block, byteCount: byteCount, offsets: [])
  }

  /// The keys that a slot of the page's rows refers to, as a page of keys.
  func targets(of slot: Int, _ relationship: RelationshipLayout, in model: ModelLayout) -> RowPage {
    var keys: [Int64] = []
    keys.reserveCapacity(count)
    for index in 0..<count {
      let row = row(index)
      let slots = model.entities[PackedRow.entity(row)].slots
      guard slot < slots.count, slots[slot].relationship === relationship else { continue }
      let key = PackedRow.reference(row, slot).key
      if key > 0 { keys.append(key) }
    }
    return .keys(keys, for: .targets)
  }

  /// The purpose of a page of keys.
  var keyPurpose: KeyPurpose {
    KeyPurpose(rawValue: base.load(as: Int64.self)) ?? .batch
  }

  /// The keys of a page of keys.
  var keys: [Int64] {
    (1..<max(1, byteCount / 8)).map { base.load(fromByteOffset: 8 * $0, as: Int64.self) }
  }
}
