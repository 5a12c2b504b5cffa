// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// A model as the file of a store has it: JSON, with a line for every entity and every property.
struct ModelText: Sendable {
  let bytes: [UInt8]

  /// A text that has been read.
  init(_ text: String) { bytes = Array(text.utf8) }

  /// The text of a model.
  init?(_ model: ModelLayout) {
    guard let encoded = StoredModel.encode(model) else { return nil }
    bytes = Self.lines(encoded)
  }

  /// The text of a model, as ``StoredModel`` reads it.
  var encoded: Data { Data(bytes) }

  /// Compact JSON with a line for every object that is an element of an array; commas begin lines.
  private static func lines(_ json: Data) -> [UInt8] {
    let (open, comma) = (UInt8(ascii: "{"), UInt8(ascii: ","))
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    let newline = UInt8(ascii: "\n")
    var lines: [UInt8] = []
    /// Of every value that is open, whether it is an array, and whether its elements have lines.
    var values: [(isArray: Bool, hasLines: Bool)] = []
    var isText = false
    var isEscaped = false
    for byte in json {
      if isText {
        lines.append(byte)
        if byte == quote, !isEscaped { isText = false }
        isEscaped = byte == backslash && !isEscaped
        continue
      }
      switch byte {
      case quote: isText = true
      case open:
        if let last = values.indices.last, values[last].isArray {
          values[last].hasLines = true
          let isFirst = lines.last != comma
          if !isFirst { lines.removeLast() }
          lines += [newline, isFirst ? UInt8(ascii: " ") : comma]
        }
        values.append((false, false))
      case UInt8(ascii: "["): values.append((true, false))
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if values.popLast()?.hasLines == true { lines.append(newline) }
      default: break
      }
      lines.append(byte)
    }
    return lines
  }
}
