// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// A date and a time of day in the Gregorian calendar, in whole seconds.
///
/// Plain arithmetic, because a list prints thousands of dates.
public struct CivilTime: Sendable, Hashable {
  let year: Int
  let month: Int
  let day: Int
  let secondOfDay: Int

  /// The civil time of an instant.
  ///
  /// - Parameters:
  ///   - date: The instant; fractions of a second are dropped.
  ///   - offset: The time zone's distance from UTC in seconds, east of Greenwich positive.
  public init(_ date: Date, secondsFromGMT offset: Int = 0) {
    // Year 0 to 9999, so that four digits are enough.
    let local = date.timeIntervalSince1970.rounded(.down) + Double(offset)
    let seconds = Int(min(max(local, -62_167_219_200), 253_402_300_799))
    let days = (Double(seconds) / 86_400).rounded(.down)
    secondOfDay = seconds - Int(days) * 86_400

    // Days are counted from 1 March of year 0, so that a leap day ends its year.
    let shifted = Int(days) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }

  /// The day and the minute: `2016-01-26 19:46`.
  public var dayAndMinute: String { "\(dayText) \(hour):\(minute)" }

  fileprivate var dayText: String {
    "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
  }
  fileprivate var hour: String { (secondOfDay / 3_600).padded(to: 2) }
  fileprivate var minute: String { (secondOfDay / 60 % 60).padded(to: 2) }
  fileprivate var second: String { (secondOfDay % 60).padded(to: 2) }
}

extension Date {
  /// The instant in UTC as ISO 8601 writes it, in whole seconds: `2016-01-26T19:46:18Z`.
  public var iso8601: String {
    let time = CivilTime(self)
    return "\(time.dayText)T\(time.hour):\(time.minute):\(time.second)Z"
  }

  /// The instant in a time zone, for people: `2016-01-26 19:46`.
  public func dayAndMinute(in zone: TimeZone) -> String {
    CivilTime(self, secondsFromGMT: zone.secondsFromGMT(for: self)).dayAndMinute
  }
}

extension Date {
  /// Reads a date in UTC as ISO 8601 writes it: `2016-01-26T19:46:18Z`, or a day, which begins at
  /// midnight; nil for anything else.
  public init?(iso8601 text: String) {
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    let full = parts.count == 1 ? "\(text)T00:00:00Z" : text
    guard let date = try? Date(full, strategy: .iso8601), date.iso8601 == full else { return nil }
    self = date
  }

  /// Reads an instant as servers write it: as ``init(iso8601:)``, but also with an offset from UTC
  /// and a fraction of a second, which is dropped: `2016-01-26T20:46:18.5+01:00`.
  public init?(instant text: String) {
    if let date = Date(iso8601: text) {
      self = date
      return
    }
    let form = /([0-9T:-]+?)(?:\.[0-9]+)?(?:Z|([+-])([01][0-9]|2[0-3]):?([0-5][0-9]))/
    guard let (_, local, sign, hours, minutes) = text.wholeMatch(of: form)?.output,
      let date = Date(iso8601: "\(local)Z")
    else { return nil }
    let offset = (hours.flatMap { Int($0) } ?? 0) * 3_600 + (minutes.flatMap { Int($0) } ?? 0) * 60
    self = date.addingTimeInterval(TimeInterval(sign == "-" ? offset : -offset))
  }
}

extension Int {
  fileprivate func padded(to width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
