// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A line that means something else.
struct Mutant {
  let file: String
  /// From 1 on.
  let line: Int
  /// What stands there now.
  let original: String
  let change: Change

  enum Change {
    /// A condition is the other way round; its text.
    case negation(String)
    /// A comparison includes its bound, or leaves it out.
    case bound(String, String)
    /// A call or an assignment does not happen.
    case deletion
    /// A step of one is none.
    case step(String)
    /// `true` is `false`.
    case constant(String)
  }

  /// What is different, in words.
  var summary: String {
    let text = original.trimmed
    return switch change {
    case .negation(let condition): "not (\(condition))"
    case .bound(let old, let new): "\(old) is \(new)"
    case .deletion: "without \(text)"
    case .step(let step): "without '\(step)' in \(text)"
    case .constant: "the opposite of \(text)"
    }
  }

  /// The line, which means something else when the mutant is turned on.
  func line(number: Int) -> String {
    let isOn = "MutantSwitch.isOn(\(number))"
    switch change {
    case .negation(let condition):
      return original.replacing(condition, with: "(\(isOn) != (\(condition)))")
    case .bound(let old, let new):
      return original.replacing(old, with: "(\(isOn) ? \(new) : \(old))")
    case .deletion:
      let indentation = original.prefix { $0 == " " }
      return "\(indentation)if !\(isOn) { \(original.trimmed) }"
    case .step(let step):
      let sign = step.first ?? "+"
      return original.replacing(" \(step)", with: " \(sign) (\(isOn) ? 0 : 1)")
    case .constant(let value):
      return original.replacing(" \(value)", with: " (\(isOn) != \(value))")
    }
  }
}

extension String {
  /// The text without spaces around it.
  var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
