// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A block of memory from which the edit records of one entity are cut, one behind the other.
///
/// Objects that are inserted or changed together then lie together, and a record costs neither an
/// allocation nor a deallocation of its own. Every record in it retains the slab, so that the last
/// one frees it.
///
/// Safe because a cut is handed out once and never returned.
final class RowSlab {
  /// The size of a slab, and of the largest record that is cut from one.
  static let byteCount = 1 << 16
  static let greatestCut = byteCount / 16

  private let base = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
  private var used = 0

  deinit { base.deallocate() }

  /// So many bytes, aligned to 16, or `nil` when they do not fit.
  func cut(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    let rounded = (byteCount + 15) & ~15
    guard used + rounded <= Self.byteCount else { return nil }
    defer { used += rounded }
    return base + used
  }
}
