// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import Synchronization

/// What a placeholder stands for.
enum FormatArgument {
  /// A text, which need not be asked for its type.
  case text(String)
  case value(Any?)

  var any: Any? {
    switch self {
    case .text(let text): text
    case .value(let value): value
    }
  }
}

/// A format string that has been read once, with room for its arguments.
///
/// Formats are fixed at compile time and used again and again with other values. A template saves
/// reading them: it puts the values into the tree. It exists for the plain case only, where every
/// placeholder is `%@` or an interpolated value and stands alone on a side of a comparison, and it
/// is used for scalar arguments only; anything else is read as ever, so that there is one source of
/// trees and of errors.
struct FormatTemplate: Sendable {
  /// Where a value was interpolated: the byte offset of its `%@`.
  struct Place: Hashable, Sendable {
    let offset: Int
    let placeholder: FormatPlaceholder
  }

  /// What identifies a format: its text, and which of its `%@` were interpolated.
  struct Key: Hashable, Sendable {
    let text: String
    let interpolations: [Place]?
  }

  /// Takes an argument's place while a template is read.
  struct Marker: Sendable {
    let index: Int

    var name: String { "%\(index)" }
  }

  private let node: PredicateNode
  private let depth: Int
  private let names: [String]

  /// The template of a format, or `nil` when it is not plain.
  init?(_ text: String, argumentCount: Int, interpolations: [Int: FormatPlaceholder]?) {
    guard argumentCount > 0, argumentCount <= 16 else { return nil }
    let markers = (0..<argumentCount).map(Marker.init)
    guard
      let parsed = try? FormatParser.parse(text, arguments: markers, interpolations: interpolations)
    else { return nil }
    names = markers.map(\.name)
    node = parsed.node
    depth = parsed.depth
    guard Self.operands(of: parsed.node, Set(names)) == argumentCount else { return nil }
  }

  /// The tree with arguments in their places, or `nil` when one of them is no scalar.
  func tree(_ arguments: [FormatArgument]) -> FormatParser.Measured<PredicateNode>? {
    guard arguments.count == names.count else { return nil }
    if names.count == 1, case .comparison(var comparison) = node,
      case .variable = comparison.right
    {
      guard let value = Self.constant(arguments[0]) else { return nil }
      comparison.right = value
      return FormatParser.Measured(node: .comparison(comparison), depth: depth)
    }
    var values: [String: ExpressionNode] = [:]
    for (name, argument) in zip(names, arguments) {
      guard let value = Self.constant(argument) else { return nil }
      values[name] = value
    }
    let tree = node.replacing(values)
    return FormatParser.Measured(node: tree, depth: tree.depth())
  }

  /// A scalar argument as a constant.
  private static func constant(_ argument: FormatArgument) -> ExpressionNode? {
    switch argument {
    case .text(let text): .constant(.string(text))
    case .value(let value): value.flatMap(ArgumentConversion.scalar).map { .constant($0) }
    }
  }

  /// How many markers are a whole side of a comparison, or -1 when there is a `BETWEEN`.
  private static func operands(of node: PredicateNode, _ names: Set<String>) -> Int {
    switch node {
    case .constant: return 0
    case .and(let nodes), .or(let nodes):
      let counts = nodes.map { operands(of: $0, names) }
      return counts.contains(-1) ? -1 : counts.reduce(0, +)
    case .not(let node): return operands(of: node, names)
    case .comparison(let comparison):
      guard comparison.comparator != .between else { return -1 }
      return [comparison.left, comparison.right].count {
        if case .variable(let name) = $0 { names.contains(name) } else { false }
      }
    }
  }
}

/// The templates of the formats that the program has used.
enum FormatTemplates {
  /// Formats in a program's text are few; one that makes more of them reads the rest anew.
  private static let limit = 1_000

  private static let known = Mutex<[FormatTemplate.Key: FormatTemplate?]>([:])

  /// Reads a format that is fixed at compile time.
  static func parse(
    _ text: String,
    arguments: [FormatArgument],
    interpolations: [FormatTemplate.Place]? = nil
  ) throws(FormatError) -> FormatParser.Measured<PredicateNode> {
    let key = FormatTemplate.Key(text: text, interpolations: interpolations)
    if let known = known.withLock({ $0[key] }) {
      if let tree = known?.tree(arguments) { return tree }
    } else {
      let template = FormatTemplate(
        text,
        argumentCount: arguments.count,
        interpolations: byOffset(interpolations)
      )
      known.withLock { if $0.count < limit { $0[key] = .some(template) } }
    }
    return try FormatParser.parse(
      text,
      arguments: arguments.map(\.any),
      interpolations: byOffset(interpolations)
    )
  }

  private static func byOffset(
    _ interpolations: [FormatTemplate.Place]?
  ) -> [Int: FormatPlaceholder]? {
    interpolations.map { Dictionary($0.map { ($0.offset, $0.placeholder) }) { $1 } }
  }
}
