// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The values of a statement's list of parameters, `IN (?, ?, …)`.
///
/// Lists have a few sizes, so that few kept statements serve any number of values; one that is not full
/// is filled up with its last value.
struct ParameterList<Value>: RandomAccessCollection {
  /// How many values the largest list takes.
  static var greatestCount: Int { 500 }

  private static var counts: [Int] { [1, 16, 128, greatestCount] }

  private let values: ArraySlice<Value>
  let endIndex: Int

  /// The list of at least one value and at most ``greatestCount``.
  init(_ values: ArraySlice<Value>) {
    self.values = values
    endIndex = Self.counts.first { $0 >= values.count } ?? Self.greatestCount
  }

  var startIndex: Int { 0 }

  subscript(index: Int) -> Value {
    values[Swift.min(values.startIndex + index, values.endIndex - 1)]
  }
}

extension Array {
  /// The elements as lists of parameters, as few as possible.
  var parameterLists: some Sequence<ParameterList<Element>> {
    let greatest = ParameterList<Element>.greatestCount
    return stride(from: 0, to: count, by: greatest).lazy.map { start in
      ParameterList(self[start..<Swift.min(start + greatest, count)])
    }
  }
}

extension SQLText {
  /// So many parameters in SQL.
  static func marks(_ count: Int) -> String {
    count == 0 ? "" : String(repeating: "?, ", count: count - 1) + "?"
  }
}
