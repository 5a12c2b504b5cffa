// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A time such as `90m`, `12h`, `3d` or `2w`.
public struct TimeSpan: Sendable, Hashable {
  /// The length in seconds, above 0.
  public let seconds: Int

  /// Reads a time.
  ///
  /// The result is nil when the text is not a whole number above 0 with one of the units `m`, `h`, `d`
  ///   and `w`, or when the time is longer than 10,000 years.
  public init?(_ text: String) {
    guard
      let unit = text.last.flatMap({ Self.units[$0] }),
      let count = Int(text.dropLast()), count > 0, text.first != "+"
    else { return nil }
    let (seconds, isTooLong) = count.multipliedReportingOverflow(by: unit)
    guard !isTooLong, seconds <= 315_576_000_000 else { return nil }
    self.seconds = seconds
  }

  private static let units: [Character: Int] = ["m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
}
