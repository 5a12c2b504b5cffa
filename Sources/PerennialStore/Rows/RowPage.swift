// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// An immutable block of packed rows, shared freely among isolations.
///
/// Safe because nobody writes to the block once a page is made of it, and the last reference frees
/// it: `@unchecked Sendable` states just that. (A lent page of a save that fails goes back before
/// the save returns, and no store keeps a page that it has not saved.)
@usableFromInline
package final class RowPage: @unchecked Sendable {
  /// The block.
  @usableFromInline package let base: UnsafeRawPointer
  /// Where each row begins.
  @usableFromInline package let offsets: ContiguousArray<UInt32>
  /// The size of the block in bytes.
  @usableFromInline package let byteCount: Int
  /// Who owns the block, when the page does not.
  private let lender: (any AnyObject & Sendable)?

  /// Adopts a block.
  package init(
    adopting block: UnsafeMutableRawPointer,
    byteCount: Int,
    offsets: ContiguousArray<UInt32>
  ) {
    base = UnsafeRawPointer(block)
    self.offsets = offsets
    self.byteCount = byteCount
    lender = nil
  }

  /// Borrows a block from an object that keeps it, and does not write to it, as long as the page
  /// lives.
  package init(
    lending block: UnsafeRawPointer,
    byteCount: Int,
    offsets: ContiguousArray<UInt32>,
    lender: any AnyObject & Sendable
  ) {
    base = block
    self.offsets = offsets
    self.byteCount = byteCount
    self.lender = lender
  }

  deinit { if lender == nil { UnsafeMutableRawPointer(mutating: base).deallocate() } }

  /// Whether the block belongs to somebody else, who takes it back if the page's save fails.
  package var isLent: Bool { lender != nil }

  /// The number of rows.
  @inlinable package var count: Int { offsets.count }

  /// A row, valid as long as the page.
  @inlinable package func row(_ index: Int) -> UnsafeRawPointer {
    base + Int(offsets[index])
  }
}

/// A row together with the page that keeps it alive.
package struct PageRow: Sendable {
  package let page: RowPage
  package let index: Int

  package init(page: RowPage, index: Int) {
    self.page = page
    self.index = index
  }

  /// The row, valid as long as this value.
  package var pointer: UnsafeRawPointer { page.row(index) }
  package var key: Int64 { PackedRow.key(pointer) }
  package var version: UInt32 { PackedRow.version(pointer) }
  package var entity: Int { PackedRow.entity(pointer) }
}
