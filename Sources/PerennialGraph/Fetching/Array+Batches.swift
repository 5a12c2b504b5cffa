// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension Array {
  /// The elements in order, at most so many at a time.
  func batches(of count: Int) -> some Sequence<ArraySlice<Element>> {
    stride(from: 0, to: self.count, by: count).lazy.map {
      self[$0..<Swift.min($0 + count, self.count)]
    }
  }
}
