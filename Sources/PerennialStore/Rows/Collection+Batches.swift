// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension RandomAccessCollection where Index == Int {
  /// The elements in order, at most so many at a time.
  package func batches(of count: Int) -> some Sequence<SubSequence> {
    stride(from: startIndex, to: endIndex, by: count).lazy.map {
      self[$0..<$0 + Swift.min(count, endIndex - $0)]
    }
  }
}

extension Array {
  /// Makes room for more elements, in steps that grow.
  ///
  /// A long array gets room for four times as many: each move leaves behind the memory that the array had,
  /// while memory that nobody has written to yet costs nothing.
  package mutating func makeRoom(for more: Int) {
    guard capacity < count + more else { return }
    let factor = count < Self.longCount ? 2 : 4
    reserveCapacity(Swift.max(count + more, count * factor))
  }

  private static var longCount: Int { 1 << 14 }
}
