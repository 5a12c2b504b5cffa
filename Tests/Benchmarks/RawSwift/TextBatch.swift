// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A buffer for the texts of one multi-row statement, so that SQLite need not copy them one by one.
///
/// Safe because the buffer never moves, is emptied only after the statement has run, and texts that
/// do not fit are refused.
final class TextBatch {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private var used = 0

  init(capacity: Int = 64 * 1_024) {
    bytes = .allocate(capacity: capacity)
  }

  deinit {
    bytes.deallocate()
  }

  /// Copies `text` into the buffer; the result is valid until `removeAll()`.
  @inline(__always)
  func append(_ text: String) -> UnsafeBufferPointer<UInt8> {
    var text = text
    return text.withUTF8 { source in
      precondition(used + source.count <= bytes.count, "The texts of a batch exceed its buffer.")
      let target = UnsafeMutableBufferPointer(rebasing: bytes[used..<used + source.count])
      _ = target.initialize(from: source)
      used += source.count
      return UnsafeBufferPointer(target)
    }
  }

  func removeAll() {
    used = 0
  }
}
