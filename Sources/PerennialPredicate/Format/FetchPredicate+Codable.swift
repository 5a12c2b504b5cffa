// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension FetchPredicate: Codable {
  /// Reads a format string.
  ///
  /// - Throws: `DecodingError.dataCorrupted` when it is no predicate.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do {
      try self.init(parsing: text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
    }
  }

  /// Writes the format string.
  ///
  /// - Throws: `PerennialError` when the predicate is not valid.
  public func encode(to encoder: any Encoder) throws {
    let text = FormatPrinter.text(of: try checked())
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
