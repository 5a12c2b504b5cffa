// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
/// A decimal number as PostgreSQL's `numeric` has it: exact, with as many digits as one likes.
///
/// Its digits are in groups of four, the weight of the first is a power of 10,000. Equal numbers with
/// another number of digits after the point (`1.0` and `1.00`) differ here, as their texts do.
package struct PostgresNumeric: Sendable, Hashable {
  /// What kind of number it is, as the protocol numbers them.
  enum Sign: UInt16, Sendable {
    case positive = 0x0000
    case negative = 0x4000
    case notANumber = 0xC000
    case infinity = 0xD000
    case negativeInfinity = 0xF000
  }

  let sign: Sign
  /// Groups of four decimal digits, the greatest first, without zeros at either end.
  let groups: [UInt16]
  /// The power of 10,000 of the first group.
  let weight: Int16
  /// How many digits are after the point.
  let scale: UInt16

  init(sign: Sign, groups: [UInt16], weight: Int16, scale: UInt16) {
    self.sign = sign
    self.groups = groups
    self.weight = weight
    self.scale = scale
  }

  /// A number that is written as digits with an optional sign, point and exponent, or as `NaN`,
  /// `Infinity` or `-Infinity`; `nil` for other texts and for more digits than `numeric` has.
  package init?(_ text: String) {
    switch text {
    case "NaN": self.init(sign: .notANumber, groups: [], weight: 0, scale: 0)
    case "Infinity": self.init(sign: .infinity, groups: [], weight: 0, scale: 0)
    case "-Infinity": self.init(sign: .negativeInfinity, groups: [], weight: 0, scale: 0)
    default: self.init(digits: text)
    }
  }

  private init?(digits text: String) {
    guard
      let match = text.wholeMatch(
        of:
          /(?<sign>[+-]?)(?<whole>[0-9]*)(?:\.(?<part>[0-9]*))?(?:[eE](?<exponent>[+-]?[0-9]{1,5}))?/
      ), !(match.whole.isEmpty && (match.part ?? "").isEmpty)
    else { return nil }
    let exponent = match.exponent.flatMap { Int($0) } ?? 0
    var digits = Array((match.whole + (match.part ?? "")).utf8).map { UInt16($0 &- 48) }
    /// How many digits are before the point.
    var point = match.whole.utf8.count + exponent
    let scale = max(0, digits.count - point)
    if point < 0 {
      digits.insert(contentsOf: repeatElement(0, count: -point), at: 0)
      point = 0
    }
    if point > digits.count {
      digits.append(contentsOf: repeatElement(0, count: point - digits.count))
    }
    let padding = (4 - point % 4) % 4
    digits.insert(contentsOf: repeatElement(0, count: padding), at: 0)
    digits.append(contentsOf: repeatElement(0, count: (4 - digits.count % 4) % 4))
    var groups: [UInt16] = []
    for start in stride(from: 0, to: digits.count, by: 4) {
      groups.append(digits[start..<start + 4].reduce(0) { $0 * 10 + $1 })
    }
    var weight = (point + padding) / 4 - 1
    let zeros = groups.prefix { $0 == 0 }.count
    groups.removeFirst(zeros)
    weight -= zeros
    while groups.last == 0 { groups.removeLast() }
    guard scale <= 16_383, weight < 32_768, weight >= -32_768 else { return nil }
    let isNegative = match.sign == "-" && !groups.isEmpty
    self.init(
      sign: isNegative ? .negative : .positive,
      groups: groups,
      weight: groups.isEmpty ? 0 : Int16(weight),
      scale: UInt16(scale)
    )
  }
}

extension PostgresNumeric: CustomStringConvertible {
  /// The number as the server writes it.
  package var description: String {
    switch sign {
    case .notANumber: return "NaN"
    case .infinity: return "Infinity"
    case .negativeInfinity: return "-Infinity"
    case .positive, .negative: break
    }
    var whole = ""
    var part = ""
    for power in stride(from: max(Int(weight), 0), through: 0, by: -1) { whole += group(of: power) }
    var power = -1
    while part.utf8.count < Int(scale) {
      part += group(of: power)
      power -= 1
    }
    whole = String(whole.drop { $0 == "0" })
    if whole.isEmpty { whole = "0" }
    part = String(part.prefix(Int(scale)))
    return (sign == .negative ? "-" : "") + whole + (part.isEmpty ? "" : "." + part)
  }

  /// The number without zeros at the end, so that equal numbers have equal texts.
  package var shortest: String {
    let text = description
    guard scale > 0 else { return text }
    let digits = text.reversed().drop { $0 == "0" }
    return String((digits.first == "." ? digits.dropFirst() : digits).reversed())
  }

  /// Whether it is neither infinite nor `NaN`.
  package var isNumber: Bool { sign == .positive || sign == .negative }

  /// The four digits of a power of 10,000.
  private func group(of power: Int) -> String {
    let index = Int(weight) - power
    guard groups.indices.contains(index) else { return "0000" }
    let digits = String(groups[index])
    return String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}
#endif
