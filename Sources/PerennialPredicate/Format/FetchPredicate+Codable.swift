// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension FetchPredicate: Codable {
  /// Reads a format string.
  ///
  /// - Parameter decoder: Where it is read, as a single string.
  /// - Throws: `DecodingError.dataCorrupted` when it is no predicate; otherwise what the decoder throws.
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
  /// - Parameter encoder: Where it is written, as a single string.
  /// - Throws: `PerennialError` with code `predicateFormat` (200,001) when the predicate is not valid; otherwise what
  ///   the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    let text = FormatPrinter.text(of: try checked())
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
