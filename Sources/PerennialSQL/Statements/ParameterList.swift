// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The values of a statement's list of parameters, `IN (?, ?, …)`.
///
/// Lists have a few sizes, so that few kept statements serve any number of values; one that is not full
/// is filled up with its last value.
///
/// `@usableFromInline`, since stores bind lists in loops of their own.
@usableFromInline
package struct ParameterList<Value>: RandomAccessCollection {
  /// How many values the largest list takes.
  @inlinable package static var greatestCount: Int { 500 }

  @usableFromInline let values: ArraySlice<Value>
  /// How many parameters the list has.
  @usableFromInline package let endIndex: Int

  /// The list of at least one value and at most ``greatestCount``.
  @inlinable
  package init(_ values: ArraySlice<Value>) {
    self.values = values
    endIndex = parameterCount(for: values.count)
  }

  @inlinable package var startIndex: Int { 0 }

  @inlinable
  package subscript(index: Int) -> Value {
    values[Swift.min(values.startIndex + index, values.endIndex - 1)]
  }
}

extension Array {
  /// The elements as lists of parameters, as few as possible.
  @inlinable package var parameterLists: some Sequence<ParameterList<Element>> {
    let greatest = ParameterList<Element>.greatestCount
    return stride(from: 0, to: count, by: greatest).lazy.map { start in
      ParameterList(self[start..<Swift.min(start + greatest, count)])
    }
  }
}

/// The least size of a list for so many values.
@usableFromInline
func parameterCount(for count: Int) -> Int {
  [1, 16, 128].first { $0 >= count } ?? ParameterList<Int>.greatestCount
}

extension SQLText {
  /// So many parameters in SQL.
  package static func marks(_ count: Int) -> String {
    String(String(repeating: "?, ", count: count).dropLast(2))
  }

  /// Rows for a table: `INTO commit (version, id, sha) VALUES (1, ?, ?), (1, ?, ?)`.
  package static func rows(
    _ count: Int,
    of columns: [String],
    constants: [InsertionConstant] = [],
    into table: String
  ) -> String {
    let names = (constants.map(\.column) + columns).joined(separator: ", ")
    let row = (constants.map { "\($0.value)" } + columns.map { _ in "?" }).joined(separator: ", ")
    let values = repeatElement("(\(row))", count: count).joined(separator: ", ")
    return "INTO \(table) (\(names)) VALUES \(values)"
  }

  /// A complete text with other marks of parameters than `?`, of which those in quotes are none.
  ///
  /// - Parameters:
  ///   - sql: The text.
  ///   - mark: The mark of each parameter, from 1 on.
  /// - Returns: The text.
  package static func numbered(_ sql: String, _ mark: (Int) -> String) -> String {
    var finished: [UInt8] = []
    finished.reserveCapacity(sql.utf8.count + 16)
    var count = 0
    var quote: UInt8?
    for byte in sql.utf8 {
      if quote == nil, byte == UInt8(ascii: "?") {
        count += 1
        finished += mark(count).utf8
        continue
      }
      if byte == quote {
        quote = nil
      } else if quote == nil, "'\"`".utf8.contains(byte) {
        quote = byte
      }
      finished.append(byte)
    }
    return String(decoding: finished, as: UTF8.self)
  }
}
