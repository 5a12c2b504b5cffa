// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Writes one JSON array, element by element, without holding it in memory.
///
/// ```swift
/// var array = JSONArrayWriter(output)
/// for commit in commits { try array.append(commit.json) }
/// try array.finish()
/// ```
public struct JSONArrayWriter {
  private let output: FileWriter
  private var isEmpty = true

  /// Makes a writer; nothing is written before the first element.
  public init(_ output: FileWriter) {
    self.output = output
  }

  /// Writes an element on a line of its own.
  ///
  /// - Throws: As ``FileWriter/write(_:)``.
  public mutating func append(_ value: JSONValue) throws {
    try output.write(isEmpty ? "[\n" : ",\n")
    try output.write(value.text)
    isEmpty = false
  }

  /// Writes the end of the array; an array without elements is `[]`.
  ///
  /// - Throws: As ``FileWriter/write(_:)``.
  public func finish() throws {
    try output.write(isEmpty ? "[]\n" : "\n]\n")
  }
}
