// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension BinaryInteger {
  /// The number with a comma after each group of three digits: `11,308`.
  public var grouped: String {
    let digits = String(magnitude)
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return self < 0 ? "-\(result)" : result
  }

  /// The number with a noun, with an `s` unless it is one: `1 commit`, `11,308 commits`.
  public func counted(_ noun: String) -> String {
    "\(grouped) \(noun)\(self == 1 ? "" : "s")"
  }
}

extension Duration {
  /// The duration in seconds.
  public var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }

  /// The duration in seconds, rounded to tenths: `0.9 s`.
  public var roundedSeconds: String {
    let tenths = Int((seconds * 10).rounded())
    return "\((tenths / 10).grouped).\(tenths % 10) s"
  }
}
