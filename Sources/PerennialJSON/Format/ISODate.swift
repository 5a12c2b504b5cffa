// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A date as ISO 8601 text in UTC, exact to the last bit of its seconds.
///
/// The seconds since 2001 are taken in their shortest decimal text that reads back to the same
/// number. Calendar arithmetic is done on the whole seconds only, and what stands behind the point is
/// carried over digit by digit: so nothing is rounded, there or back.
///
/// Safe because the bytes are read within the calls that lend them, and by index within their count.
enum ISODate {
  /// From the first second of the year 1 to the last of the year 9999, in seconds since 2001.
  private static let range = Double(-63_113_904_000)..<Double(252_423_993_600)
  private static let secondsPerDay: Int64 = 86_400
  /// Days from 1 March of the year 0 to 1 January 2001.
  private static let daysBefore2001: Int64 = 730_791

  /// The text, or `nil` for a date that has none: beyond the years 1 to 9999, no number, -0.0, or
  /// with seconds so small that their text has an exponent.
  static func text(_ seconds: Double) -> [UInt8]? {
    guard range.contains(seconds) else { return nil }
    var whole = Int64(seconds.rounded(.down))
    var fraction: [UInt8] = []
    if Double(whole) != seconds {
      let text = Array(seconds.description.utf8)
      guard let point = text.firstIndex(of: UInt8(ascii: ".")), !text.contains(UInt8(ascii: "e"))
      else { return nil }
      fraction = Array(text[(point + 1)...])
      if seconds < 0 { complement(&fraction) }
    } else if seconds == 0, seconds.sign == .minus {
      return nil
    }
    let days = (whole - (whole % secondsPerDay + secondsPerDay) % secondsPerDay) / secondsPerDay
    whole -= days * secondsPerDay
    return text(days: days, seconds: whole, fraction: fraction)
  }

  /// The seconds since 2001 of a text, or `nil` when it is none that `text` writes.
  static func seconds(_ text: UnsafeRawBufferPointer) -> Double? {
    guard text.count >= 20, text[text.count - 1] == UInt8(ascii: "Z"),
      let year = number(text, 0, 4), text[4] == dash, let month = number(text, 5, 2),
      text[7] == dash, let day = number(text, 8, 2), text[10] == UInt8(ascii: "T"),
      let hour = number(text, 11, 2), text[13] == colon, let minute = number(text, 14, 2),
      text[16] == colon, let second = number(text, 17, 2), year > 0, hour < 24, minute < 60,
      second < 60
    else { return nil }
    let days = self.days(year, month, day)
    guard civil(days) == (year, month, day) else { return nil }
    let whole = days * secondsPerDay + hour * 3600 + minute * 60 + second
    guard text.count > 20 else { return Double(whole) }
    return withFraction(whole, UnsafeRawBufferPointer(rebasing: text[19..<text.count - 1]))
  }

  /// Adds the digits behind a point.
  private static func withFraction(_ whole: Int64, _ text: UnsafeRawBufferPointer) -> Double? {
    guard text.count > 1, text[0] == UInt8(ascii: "."),
      text.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }), text.last != 0x30
    else { return nil }
    var fraction = Array(text.dropFirst())
    if whole >= 0 { return Double("\(whole)." + String(decoding: fraction, as: UTF8.self)) }
    complement(&fraction)
    return Double("-\(-(whole + 1))." + String(decoding: fraction, as: UTF8.self))
  }

  /// What is missing to 1, of digits behind a point whose last is not 0.
  private static func complement(_ digits: inout [UInt8]) {
    for index in digits.indices {
      digits[index] = 0x30 + (index == digits.count - 1 ? 10 : 9) - (digits[index] - 0x30)
    }
  }

  // MARK: The calendar

  private static let dash = UInt8(ascii: "-")
  private static let colon = UInt8(ascii: ":")

  /// Days since 2001 of a day, by the rules of the Gregorian calendar.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    // Years begin in March here, so that the day that comes and goes is the last.
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - daysBefore2001
  }

  /// The year, month and day of days since 2001.
  private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
    let days = days + daysBefore2001
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }

  private static func text(days: Int64, seconds: Int64, fraction: [UInt8]) -> [UInt8] {
    let (year, month, day) = civil(days)
    var text: [UInt8] = []
    text.reserveCapacity(21 + fraction.count)
    func add(_ number: Int64, _ count: Int, _ end: UInt8?) {
      var divisor: Int64 = count == 4 ? 1000 : 10
      while divisor > 0 {
        text.append(0x30 + UInt8(number / divisor % 10))
        divisor /= 10
      }
      if let end { text.append(end) }
    }
    add(year, 4, dash)
    add(month, 2, dash)
    add(day, 2, UInt8(ascii: "T"))
    add(seconds / 3600, 2, colon)
    add(seconds / 60 % 60, 2, colon)
    add(seconds % 60, 2, nil)
    if !fraction.isEmpty {
      text.append(UInt8(ascii: "."))
      text += fraction
    }
    text.append(UInt8(ascii: "Z"))
    return text
  }

  private static func number(
    _ text: UnsafeRawBufferPointer,
    _ start: Int,
    _ count: Int
  ) -> Int64? {
    var number: Int64 = 0
    for byte in text[start..<start + count] {
      guard (0x30...0x39).contains(byte) else { return nil }
      number = number * 10 + Int64(byte - 0x30)
    }
    return number
  }
}
