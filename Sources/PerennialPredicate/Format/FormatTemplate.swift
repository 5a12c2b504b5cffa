// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import Synchronization

/// What a placeholder stands for.
struct FormatArgument {
  enum Value {
    /// A text, which need not be asked for its type.
    case text(String)
    case any(Any?)
  }

  let value: Value
  /// Where the value was interpolated; `nil` for an argument in a list.
  var place: FormatTemplate.Place?

  /// What stands for an interpolated value in a format.
  static let mark = "%@"

  var any: Any? {
    switch value {
    case .text(let text): text
    case .any(let value): value
    }
  }
}

/// A format string that has been read once, with room for its arguments.
///
/// Formats are fixed at compile time and used again and again with other values. A template saves
/// reading them: it puts the values into the tree. It has a tree for the plain case only, where every
/// placeholder is `%@` or an interpolated value and stands alone on a side of a comparison, and it
/// is used for scalar arguments only; anything else is read as ever, so that there is one source of
/// trees and of errors.
final class FormatTemplate: Sendable {
  /// Where a value was interpolated: the byte offset of its `%@`.
  struct Place: Equatable, Sendable {
    let offset: Int
    let placeholder: FormatPlaceholder
  }

  /// Takes an argument's place while a template is read.
  struct Marker: Sendable {
    let index: Int

    var name: String { "%\(index)" }
  }

  private let text: String
  private let isASCII: Bool
  private let places: [Place?]
  /// The bytes before an interpolated value that is all that follows them; `nil` for other formats.
  private let start: [UInt8]?
  /// The tree with variables in the places of the arguments; `nil` when the format is not plain.
  private let parsed: FormatParser.Measured<PredicateNode>?
  private let names: [String]
  /// The attribute's name, when the format says no more than which value an attribute must have.
  private let equalName: String?

  /// The template of a format that is used with such arguments.
  init(_ text: String, _ arguments: [FormatArgument], isInterpolated: Bool) {
    self.text = text
    isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    places = arguments.map(\.place)
    start = Self.start(of: text, places)
    let markers = arguments.indices.map(Marker.init)
    names = markers.map(\.name)
    let interpolations = isInterpolated ? Self.byOffset(arguments) : nil
    guard (1...16).contains(arguments.count),
      let parsed = try? FormatParser.parse(
        text,
        arguments: markers,
        interpolations: interpolations
      ),
      Self.operands(of: parsed.node, Set(names)) == arguments.count
    else {
      self.parsed = nil
      equalName = nil
      return
    }
    self.parsed = parsed
    // Its right side is the only argument's place: each argument has a side, and the left one is a name.
    equalName = AttributeEquality.name(in: parsed.node)
  }

  /// Whether this is the template of a format, used with values at the same places.
  ///
  /// Formats are equal by their bytes: those that Swift finds equal to one of ASCII are longer than it.
  func isOf(_ text: String, _ arguments: [FormatArgument]) -> Bool {
    self.text == text && self.text.utf8.count == text.utf8.count
      && (isASCII || self.text.utf8.elementsEqual(text.utf8)) && places.count == arguments.count
      && places.indices.allSatisfy { places[$0] == arguments[$0].place }
  }

  /// Whether this is the template of a format that ends with its only value, after such bytes.
  func isOf(start bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start, start.count == bytes.count else { return false }
    var index = 0
    while index < bytes.count, start[index] == bytes[index] { index += 1 }
    return index == bytes.count
  }

  private static func start(of text: String, _ places: [Place?]) -> [UInt8]? {
    guard places.count == 1, let place = places[0], place.placeholder == .interpolation,
      place.offset + FormatArgument.mark.utf8.count == text.utf8.count
    else { return nil }
    return Array(text.utf8.prefix(place.offset))
  }

  /// The placeholders of interpolated values by their offsets.
  static func byOffset(_ arguments: [FormatArgument]) -> [Int: FormatPlaceholder] {
    arguments.compactMap(\.place).reduce(into: [:]) { $0[$1.offset] = $1.placeholder }
  }

  /// What a predicate is with arguments in their places, or `nil` when one of them is no scalar.
  func content(_ arguments: [FormatArgument]) -> FetchPredicate.Content? {
    if arguments.count == 1 { return content(arguments[0].value) }
    guard let parsed else { return nil }
    var values: [String: ExpressionNode] = [:]
    for (name, argument) in zip(names, arguments) {
      guard let value = Self.constant(argument.value) else { return nil }
      values[name] = value
    }
    return .init(Self.tree(parsed.node, replacing: values))
  }

  /// What a predicate is with the only argument in its place, or `nil` when that is no scalar.
  func content(_ argument: consuming FormatArgument.Value) -> FetchPredicate.Content? {
    guard let equalName else { return tree(argument).map { .init($0) } }
    return Self.scalar(argument).map { .equality(AttributeEquality(name: equalName, value: $0)) }
  }

  private func tree(_ argument: FormatArgument.Value) -> FormatParser.Measured<PredicateNode>? {
    guard let parsed, let value = Self.constant(argument) else { return nil }
    // Another variable on the right is the format's own.
    guard case .comparison(var comparison) = parsed.node,
      case .variable(names[0]) = comparison.right
    else { return Self.tree(parsed.node, replacing: [names[0]: value]) }
    comparison.right = value
    return FormatParser.Measured(node: .comparison(comparison), depth: parsed.depth)
  }

  private static func tree(
    _ node: PredicateNode,
    replacing values: [String: ExpressionNode]
  ) -> FormatParser.Measured<PredicateNode> {
    let tree = node.replacing(values)
    return FormatParser.Measured(node: tree, depth: tree.depth())
  }

  /// A scalar argument as a constant.
  private static func constant(_ argument: FormatArgument.Value) -> ExpressionNode? {
    scalar(argument).map { .constant($0) }
  }

  private static func scalar(_ argument: consuming FormatArgument.Value) -> PropertyValue? {
    switch argument {
    case .text(let text): .string(text)
    case .any(let value): value.flatMap(ArgumentConversion.scalar)
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
///
/// A hash table of our own: `Dictionary`'s seeded hash of a format costs more than the rest of
/// finding its template, and nobody outside a program chooses its formats.
///
/// Safe because bytes are looked at only while the text that lends them does so.
enum FormatTemplates {
  private struct Table {
    var buckets = [[FormatTemplate]](repeating: [], count: 256)
    var count = 0
  }

  /// Formats in a program's text are few; one that makes more of them reads the rest anew.
  private static let limit = 1_000

  private static let known = Mutex(Table())

  /// Reads a format that is fixed at compile time.
  static func content(
    _ text: String,
    _ arguments: [FormatArgument],
    isInterpolated: Bool
  ) throws(FormatError) -> FetchPredicate.Content {
    var text = text
    let start = arguments.first?.place?.offset ?? text.utf8.count
    let bucket = text.withUTF8 { Self.bucket(of: UnsafeBufferPointer(rebasing: $0[..<start])) }
    let known = known.withLock { table in
      table.buckets[bucket].first { $0.isOf(text, arguments) }
    }
    if let content = known?.content(arguments) { return content }
    if known == nil {
      add(FormatTemplate(text, arguments, isInterpolated: isInterpolated), to: bucket)
    }
    return try read(text, arguments, isInterpolated: isInterpolated)
  }

  /// Reads a format whose template is no use for such arguments.
  private static func read(
    _ text: String,
    _ arguments: [FormatArgument],
    isInterpolated: Bool
  ) throws(FormatError) -> FetchPredicate.Content {
    .init(
      try FormatParser.parse(
        text,
        arguments: arguments.map(\.any),
        interpolations: isInterpolated ? FormatTemplate.byOffset(arguments) : nil
      )
    )
  }

  /// The template of a literal that ends with its only value, after such a start; `nil` for one that has not been
  /// used yet.
  static func template(start: StaticString) -> FormatTemplate? {
    start.withUTF8Buffer { bytes in
      let bucket = Self.bucket(of: bytes)
      return known.withLock { table in
        for template in table.buckets[bucket] where template.isOf(start: bytes) { return template }
        return nil
      }
    }
  }

  private static func add(_ template: FormatTemplate, to bucket: Int) {
    known.withLock { table in
      guard table.count < limit else { return }
      table.buckets[bucket].append(template)
      table.count += 1
    }
  }

  /// The bucket of a format by its bytes up to the first interpolated value: a hash of their number and of at
  /// most 16 of them.
  private static func bucket(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var hash = UInt64(bytes.count)
    var index = 0
    while index < bytes.count {
      hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3
      index += bytes.count >> 4 + 1
    }
    return Int(hash >> 16 & 255)
  }
}
