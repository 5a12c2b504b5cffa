// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// Computed values.
extension PredicateGenerator {
  /// A value of a kind: an attribute, or something computed.
  mutating func value(_ kind: Kind, _ scope: Scope, _ depth: Int) -> ExpressionNode {
    guard depth > 0 else { return attribute(scope, of: [kind]) }
    if once(in: 8) {
      return .ternary(
        predicate(scope, depth: 0),
        value(kind, scope, depth - 1),
        once(in: 3) ? constant(kind) : value(kind, scope, depth - 1)
      )
    }
    if once(in: 20) { return .function(.noindex, [attribute(scope, of: [kind])]) }
    switch kind {
    case .integer: return integer(scope, depth)
    case .double, .decimal: return number(kind, scope, depth)
    case .string: return string(scope, depth)
    case .date:
      return once(in: 2)
        ? attribute(scope, of: [.date])
        : attribute(scope, of: [.integer, .double, .decimal]).casting(to: .date)
    case .uuid, .url, .data: return attribute(scope, of: [kind])
    }
  }

  private mutating func constant(_ kind: Kind) -> ExpressionNode {
    let type: AttributeType =
      switch kind {
      case .integer: .int16
      case .double: .double
      case .decimal: .decimal
      case .string: .string
      case .date: .date
      case .uuid: .uuid
      case .url: .url
      case .data: .binaryData
      }
    return .constant(RandomValues.value(of: type, using: &random))
  }

  private mutating func integer(_ scope: Scope, _ depth: Int) -> ExpressionNode {
    func two(_ function: PredicateFunction, _ right: ExpressionNode) -> ExpressionNode {
      .function(function, [attribute(scope, of: [.integer]), right])
    }
    let small = ExpressionNode.constant(.integer(Int64(random.chance(8))))
    switch random.chance(12) {
    case 0:
      return two(pick([.bitwiseAnd, .bitwiseOr, .bitwiseXor]), small)
    case 1:
      return two(pick([.bitwiseAnd, .bitwiseOr, .bitwiseXor]), value(.integer, scope, depth - 1))
    case 2: return two(pick([.leftShift, .rightShift]), small)
    case 3: return two(pick([.divide, .modulus]), .constant(.integer(Int64(1 + random.chance(5)))))
    case 4: return two(.power, .constant(.integer(Int64(random.chance(4)))))
    case 5: return two(pick([.add, .subtract, .multiply]), value(.integer, scope, depth - 1))
    case 6: return .function(.onesComplement, [attribute(scope, of: [.integer])])
    case 7: return .function(.length, [value(.string, scope, depth - 1)])
    case 8: return attribute(scope, of: [.string, .data]).appending(["length"])
    case 9: return value(.integer, scope, depth - 1).negated
    case 10:
      guard let (collection, _, _) = objects(from: scope, depth - 1) else { break }
      return .aggregate(collection, .count, .object)
    default: break
    }
    return two(pick([.add, .subtract, .multiply]), small)
  }

  private mutating func number(_ kind: Kind, _ scope: Scope, _ depth: Int) -> ExpressionNode {
    let other = value(pick([kind, .integer, .double]), scope, depth - 1)
    switch random.chance(8) {
    case 0, 1:
      return .function(
        pick([.add, .subtract, .multiply]),
        [attribute(scope, of: [kind]), other]
      )
    case 2:
      return .function(.divide, [attribute(scope, of: [kind]), .constant(.double(2))])
    case 3:
      return .function(pick([.abs, .floor, .ceiling, .trunc]), [attribute(scope, of: [kind])])
    case 4: return .function(pick([.sqrt, .exp, .ln, .log]), [attribute(scope, of: [kind])])
    case 5:
      let function = pick(
        [.sum, .min, .max, .average, .median, .stddev, .count] as [PredicateFunction]
      )
      return .function(function, [attribute(scope, of: [kind]), other])
    case 6: return attribute(scope, of: [.date, .integer, .double, .decimal]).casting(to: .number)
    default: return value(kind, scope, depth - 1).negated
    }
  }

  private mutating func string(_ scope: Scope, _ depth: Int) -> ExpressionNode {
    switch random.chance(6) {
    case 0, 1: return .function(.uppercase, [value(.string, scope, depth - 1)])
    case 2, 3: return .function(.lowercase, [value(.string, scope, depth - 1)])
    case 4: return attribute(scope, of: [.integer, .double, .uuid, .url]).casting(to: .string)
    default: return attribute(scope, of: [.url]).appending(["absoluteString"])
    }
  }
}

/// Comparisons of texts.
extension PredicateGenerator {
  mutating func text(_ scope: Scope, _ depth: Int) -> Comparison {
    let left = once(in: 5) ? value(.string, scope, depth) : attribute(scope, of: [.string])
    if once(in: 8) {
      let comparator = pick(
        [.contains, .beginsWith, .endsWith, .like, .isIn] as [Comparison.Operator]
      )
      return Comparison(left, comparator, attribute(scope, of: [.string]), options: options())
    }
    if once(in: 12) {
      let data = attribute(scope, of: [.data])
      return Comparison(
        data,
        pick([.contains, .beginsWith, .endsWith]),
        .constant(.data(pick(RandomValues.blobs)))
      )
    }
    return textComparison(left, scope)
  }

  /// A text against a part or a pattern that fits it.
  mutating func textComparison(_ left: ExpressionNode, _ scope: Scope) -> Comparison {
    let comparator = pick(
      [.contains, .contains, .beginsWith, .endsWith, .like, .like, .matches, .equal, .isIn]
        as [Comparison.Operator]
    )
    let options = once(in: 2) ? [] : self.options()
    guard case .string(var sample) = sample(of: left, scope) else {
      return Comparison(left, comparator, .constant(.string(pick(RandomValues.texts))))
    }
    if !options.isEmpty {
      sample = pick([
        sample, sample.uppercased(), sample.lowercased(),
        sample.decomposedStringWithCanonicalMapping,
        TextMatcher.fold(sample, .diacriticInsensitive),
      ])
    }
    let right = ExpressionNode.constant(.string(right(of: comparator, sample)))
    return Comparison(left, comparator, right, options: options)
  }

  private mutating func right(of comparator: Comparison.Operator, _ sample: String) -> String {
    let scalars = Array(sample.unicodeScalars)
    func text(_ part: ArraySlice<Unicode.Scalar>) -> String {
      String(String.UnicodeScalarView(part))
    }
    let start = random.chance(scalars.count + 1)
    let end = start + random.chance(scalars.count - start + 1)
    switch comparator {
    case .contains: return text(scalars[start..<end])
    case .beginsWith: return text(scalars[..<end])
    case .endsWith: return text(scalars[start...])
    case .isIn: return "x" + sample + "y"
    case .like:
      return pick([
        text(scalars[..<start]) + "*", "*" + text(scalars[start...]),
        "*" + text(scalars[start..<end]) + "*", text(scalars[..<start]) + "?*", sample,
        "?" + text(scalars.dropFirst()), text(scalars[..<start]) + "*" + text(scalars[end...]), "*",
        "\\" + sample,
      ])
    case .matches:
      let escaped = NSRegularExpression.escapedPattern(for: text(scalars[start..<end]))
      return pick([
        ".*" + escaped + ".*", escaped + ".+", "[a-z]*", ".", "..?", "(?i)" + escaped + ".*",
        "\\w+",
        "[^a]*", escaped + "|" + NSRegularExpression.escapedPattern(for: sample),
      ])
    default: return sample
    }
  }
}
