// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation

extension Int {
  /// A number of bytes for people: `512 bytes`, `44.0 KiB`.
  var asByteCount: String {
    if self < 1024 { return counted("byte") }
    var value = Double(self)
    var unit = ""
    for next in ["KiB", "MiB", "GiB", "TiB"] where unit.isEmpty || value >= 1024 {
      value /= 1024
      unit = next
    }
    let tenths = Int((value * 10).rounded())
    return "\((tenths / 10).grouped).\(tenths % 10) \(unit)"
  }
}

extension Date {
  /// The instant in UTC as ISO 8601 writes it, with up to six digits of a second when there is a fraction;
  /// nil beyond the years 0 to 9999.
  var exactISO8601: String? {
    let seconds = timeIntervalSince1970
    guard (-62_167_219_200..<253_402_300_800).contains(seconds) else { return nil }
    var whole = seconds.rounded(.down)
    var micros = Int(((seconds - whole) * 1_000_000).rounded())
    if micros == 1_000_000 {
      whole += 1
      micros = 0
    }
    let text = Date(timeIntervalSince1970: whole).iso8601
    guard micros > 0 else { return text }
    var digits = String(micros + 1_000_000).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(text.dropLast()).\(digits)Z"
  }
}

extension Data {
  /// The bytes as lower-case hexadecimal digits.
  var hexadecimal: String {
    map { byte in
      let digits = String(byte, radix: 16)
      return digits.count < 2 ? "0\(digits)" : digits
    }.joined()
  }
}
