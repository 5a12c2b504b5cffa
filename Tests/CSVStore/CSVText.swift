// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Comma-separated fields, all of them in quotes (RFC 4180).
enum CSVText {
  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")
  private static let lineEnd = UInt8(ascii: "\n")

  static func bytes(of records: [[String]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      for (index, field) in record.enumerated() {
        if index > 0 { bytes.append(comma) }
        bytes.append(quote)
        if field.utf8.contains(quote) {
          for byte in field.utf8 { bytes += byte == quote ? [quote, quote] : [byte] }
        } else {
          bytes += field.utf8
        }
        bytes.append(quote)
      }
      bytes.append(lineEnd)
    }
    return bytes
  }

  static func records(in bytes: [UInt8]) -> [[String]] {
    var records: [[String]] = []
    var record: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if isQuoted {
        if byte != quote {
          field.append(byte)
        } else if index < bytes.count, bytes[index] == quote {
          field.append(quote)
          index += 1
        } else {
          isQuoted = false
        }
      } else if byte == quote {
        isQuoted = true
      } else if byte == comma || byte == lineEnd {
        record.append(String(decoding: field, as: UTF8.self))
        field = []
        if byte == lineEnd {
          records.append(record)
          record = []
        }
      }
    }
    return records
  }
}
