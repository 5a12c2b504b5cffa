// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The bytes of a file, freed with their last reference.
///
/// Safe because nobody writes to the block once it is filled.
package final class FileContents: @unchecked Sendable {
  private let bytes: UnsafeRawBufferPointer

  /// Takes over a block that was allocated.
  package init(adopting block: UnsafeMutableRawBufferPointer) {
    bytes = UnsafeRawBufferPointer(block)
  }

  /// A copy of some bytes.
  package convenience init(copying source: some Collection<UInt8>) {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
    block.copyBytes(from: source)
    self.init(adopting: block)
  }

  deinit { bytes.deallocate() }

  package var count: Int { bytes.count }
  package var isEmpty: Bool { bytes.isEmpty }

  /// Lends the bytes to a closure.
  package func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Nobody else may hold the object when the closure has got the pointer.
    defer { withExtendedLifetime(self) {} }
    return try body(bytes)
  }
}
