// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// The types that `CAST(value, "NSDate")` converts to.
///
/// The first four are Core Data's. The others let every constant be printed and read back.
package enum CastType: String, Sendable, Hashable, Codable, CaseIterable {
  case date = "NSDate"
  case number = "NSNumber"
  case string = "NSString"
  case decimal = "NSDecimalNumber"
  case uuid = "NSUUID"
  case url = "NSURL"
  case data = "NSData"
  case objectID = "NSManagedObjectID"

  /// The type of a class name, with or without `NS`.
  init?(name: String) {
    guard
      let type = Self.allCases.first(where: { $0.rawValue == name || $0.rawValue == "NS" + name })
    else { return nil }
    self = type
  }

  /// A value as this type, or `nil` when it cannot be converted.
  ///
  /// Dates are seconds since the start of 2001 as numbers, and in text either these or ISO 8601
  /// with a time zone, such as `2016-01-26T19:46:18Z`; a day alone begins at midnight UTC. The
  /// absent value stays absent.
  package func convert(_ value: PropertyValue) -> PropertyValue? {
    if value.isNull { return .null }
    return switch self {
    case .date: Self.date(value)
    case .number: Self.number(value)
    case .string: Self.text(value).map { .string($0) }
    case .decimal: Self.decimal(value)
    case .uuid, .url, .data, .objectID: convertText(value)
    }
  }

  private func convertText(_ value: PropertyValue) -> PropertyValue? {
    switch (self, value) {
    case (.uuid, .uuid), (.url, .url), (.data, .data), (.objectID, .objectID): value
    case (.uuid, .string(let text)): UUID(uuidString: text).map { .uuid($0) }
    case (.url, .string(let text)): URL(string: text).map { .url($0) }
    case (.data, .string(let text)): Data(base64Encoded: text).map { .data($0) }
    case (.objectID, .string(let text)):
      URL(string: text).flatMap { ManagedObjectID(uriRepresentation: $0) }.map { .objectID($0) }
    default: nil
    }
  }

  private static func date(_ value: PropertyValue) -> PropertyValue? {
    switch value {
    case .date: value
    case .integer(let seconds): .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case .double(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .decimal(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds.closestDouble))
    case .string(let text):
      (Double(text).map(Date.init(timeIntervalSinceReferenceDate:)) ?? date(iso8601: text))
        .map { .date($0) }
    default: nil
    }
  }

  private static func date(iso8601 text: String) -> Date? {
    let styles: [Date.ISO8601FormatStyle] = [
      .iso8601, .init(includingFractionalSeconds: true), .iso8601.year().month().day(),
    ]
    let whole = text.startIndex..<text.endIndex
    for style in styles {
      // `parse` would ignore what stands behind the date.
      if let found = try? style.consuming(text, startingAt: whole.lowerBound, in: whole),
        found.upperBound == whole.upperBound
      {
        return found.output
      }
    }
    return nil
  }

  private static func number(_ value: PropertyValue) -> PropertyValue? {
    switch value {
    case .integer, .double, .decimal: value
    case .boolean(let flag): .integer(flag ? 1 : 0)
    case .date(let date): .double(date.timeIntervalSinceReferenceDate)
    case .string(let text):
      Int64(text).map { .integer($0) } ?? Double(text).map { .double($0) }
    default: nil
    }
  }

  private static func decimal(_ value: PropertyValue) -> PropertyValue? {
    switch value {
    case .decimal: value
    case .integer(let number): .decimal(Decimal(number))
    case .boolean(let flag): .decimal(flag ? 1 : 0)
    case .double(let number): number.isFinite ? parse("\(number)") : nil
    case .string(let text): parse(text)
    default: nil
    }
  }

  /// The number that a whole text is, or `NaN`, as a decimal number without a value is printed.
  private static func parse(_ text: String) -> PropertyValue? {
    if text == "NaN" { return .decimal(.nan) }
    // Of `0x10`, `Decimal` would read the zero.
    guard text.utf8.allSatisfy(isNumberByte), Double(text) != nil else { return nil }
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
  }

  private static func isNumberByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private static func text(_ value: PropertyValue) -> String? {
    switch value {
    case .string(let text): text
    case .integer(let number): "\(number)"
    // Equal numbers have equal text: a negative zero is zero.
    case .double(let number): "\(number + 0)"
    case .decimal(let number): "\(number)"
    case .boolean(let flag): flag ? "1" : "0"
    case .uuid(let uuid): uuid.uuidString
    case .url(let url): url.absoluteString
    default: nil
    }
  }
}

extension Decimal {
  /// The double nearest to the number.
  package var closestDouble: Double { Double(description) ?? .nan }
}
