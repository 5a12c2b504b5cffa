// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The rows of two lists that a change touches; all others follow each other in both in the same way.
///
/// Finding them reads both lists once, side by side. A table of bits says of nearly all references that
/// they are not touched, so that few are looked up in the set.
struct TouchedRows {
  /// Places in the old list, ascending.
  private(set) var old: [Int] = []
  /// Places in the new list, ascending.
  private(set) var new: [Int] = []

  /// The rows of some references, or `nil` when the others are not the same in the same order.
  init?(_ touched: Set<ObjectReference>, old: ResultsList, new: ResultsList) {
    let filter = Filter(touched)
    // Safe because the buffers are used within the closures only, and each place is checked.
    let isComplete = old.references.withUnsafeBufferPointer { old in
      new.references.withUnsafeBufferPointer { new in
        filter.bytes.withUnsafeBufferPointer { bytes in
          scan(old, new, touched) { bytes[filter.place(of: $0)] != 0 }
        }
      }
    }
    guard isComplete else { return nil }
  }

  /// All rows.
  init(allOf old: ResultsList, _ new: ResultsList) {
    self.old = Array(old.references.indices)
    self.new = Array(new.references.indices)
  }

  /// - Returns: Whether the lists are the same without the touched rows.
  @inline(__always)
  private mutating func scan(
    _ old: UnsafeBufferPointer<ObjectReference>,
    _ new: UnsafeBufferPointer<ObjectReference>,
    _ touched: Set<ObjectReference>,
    mayBeTouched: (ObjectReference) -> Bool
  ) -> Bool {
    var (oldRow, newRow) = (0, 0)
    while true {
      while oldRow < old.count, newRow < new.count, old[oldRow] == new[newRow],
        !mayBeTouched(old[oldRow])
      {
        oldRow += 1
        newRow += 1
      }
      if oldRow < old.count, mayBeTouched(old[oldRow]), touched.contains(old[oldRow]) {
        self.old.append(oldRow)
        oldRow += 1
      } else if newRow < new.count, mayBeTouched(new[newRow]), touched.contains(new[newRow]) {
        self.new.append(newRow)
        newRow += 1
      } else {
        guard oldRow < old.count, newRow < new.count, old[oldRow] == new[newRow] else {
          return oldRow == old.count && newRow == new.count
        }
        oldRow += 1
        newRow += 1
      }
    }
  }
}

extension TouchedRows {
  /// Says of most references, without a look at the set, that they are not in it.
  private struct Filter {
    private(set) var bytes: [UInt8]
    private let mask: Int

    init(_ references: Set<ObjectReference>) {
      // At least 16 places for each, as far as they stay in the processor's first cache.
      var size = 4096
      while size < references.count * 16, size < 1 << 16 { size *= 2 }
      bytes = Array(repeating: 0, count: size)
      mask = size - 1
      for reference in references { bytes[place(of: reference)] = 1 }
    }

    /// Neighbouring keys have neighbouring places, whatever their entity.
    @inline(__always)
    func place(of reference: ObjectReference) -> Int {
      Int(truncatingIfNeeded: reference.word >> 16) & mask
    }
  }
}
