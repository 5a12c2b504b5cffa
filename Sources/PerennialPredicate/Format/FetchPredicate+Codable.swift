// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension FetchPredicate: Codable {
  /// Reads a format string.
  ///
  /// - Parameter decoder: The decoder to read it from, as a single string.
  /// - Throws: `DecodingError.dataCorrupted` when the string is not a predicate; otherwise what the decoder
  ///   throws.
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
  /// - Parameter encoder: The encoder to write it to, as a single string.
  /// - Throws: `PerennialError` with code `predicateFormat` (200001) when the predicate is not valid, or when its string is
  ///   longer than the 4 MiB that are read again; otherwise what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    let text = FormatPrinter.text(of: try checked())
    guard text.utf8.count <= PredicateLimits.byteCount else {
      throw FormatError.tooLong.perennialError
    }
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
