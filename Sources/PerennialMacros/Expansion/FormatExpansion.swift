// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate

/// The role of `#FetchPredicate(Person.self, "name == \(name)")`: the literal itself, beside key
/// paths that the compiler checks and that are never evaluated.
enum FormatExpansion {
  /// Expands a use of the macro.
  static func expand(_ use: SourceText) -> Expansion {
    var scanner = Scanner(use.source)
    let arguments = scanner.takeMacroUse()?.arguments ?? []
    guard let entity = arguments.first, arguments.count == 2 else {
      return failure(
        .formatArguments,
        in: use,
        at: 0..<0,
        standingFor: "FetchPredicate.value(false)"
      )
    }
    let format = arguments[1]
    guard let literal = FormatLiteral(at: format.range, in: use.source) else {
      return failure(.formatNotLiteral, in: use, at: format.range, standingFor: format.value)
    }
    do throws(FormatCheck.Problem) {
      let predicate = try FormatCheck.tree(
        of: String(decoding: literal.bytes, as: UTF8.self),
        interpolations: literal.interpolations.map { ($0.offset, $0.isKey ? .key : .value) }
      )
      let keys = FormatKeys(of: predicate).longest
      return Expansion(source: source(entity.value, format.value, keys))
    } catch {
      let range = literal.sourceRange(of: error.range)
      return failure(.format(error.message), in: use, at: range, standingFor: format.value)
    }
  }

  private static func source(_ entity: String, _ format: String, _ keys: [String]) -> String {
    if keys.isEmpty { return "FetchPredicate._checked(\(format)) {}" }
    let checks = keys.map { "  _ = \($0)\n" }.joined()
    return """
      FetchPredicate._checked(\(format)) {
        let \(FormatKeys.root) = _FormatKeys(\(entity))
      \(checks)}
      """
  }

  /// An error beside an expression of the right type, without which the compiler adds errors.
  private static func failure(
    _ message: Diagnostic.Message,
    in source: SourceText,
    at range: Range<Int>,
    standingFor format: String
  ) -> Expansion {
    Expansion(
      source: "FetchPredicate._checked(\(format)) {}",
      diagnostics: [Diagnostic(message, in: source, at: range)]
    )
  }
}
