// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Placeholders and the arguments that take their places.
extension FormatParser {
  /// The next argument.
  private mutating func nextArgument() throws(FormatProblem) -> Any? {
    guard argumentIndex < arguments.count else {
      throw problem(
        "placeholder \(argumentIndex + 1) has no argument",
        hint: "\(Self.counted(arguments.count, "argument")) given"
      )
    }
    argumentIndex += 1
    return arguments[argumentIndex - 1]
  }

  /// The value for `%@`, `%d` and the like.
  @inline(never)
  mutating func valueArgument(
    _ placeholder: FormatPlaceholder
  ) throws(FormatProblem) -> Measured<ExpressionNode> {
    let argument = try nextArgument()
    let expression: ExpressionNode
    do throws(ArgumentConversion.Unsupported) {
      expression = try ArgumentConversion.expression(for: argument)
    } catch {
      throw error.isTooLong ? tooManyValues() : unsupported(typeName: error.typeName)
    }
    let node = try converted(expression, for: placeholder, argument)
    advance()
    return try measured(node, node.depth())
  }

  @inline(never)
  private func unsupported(typeName: String) -> FormatProblem {
    let recovery =
      typeName == "FetchPredicate"
      ? "combine predicates with &&, || and !."
      : "pass a string, number, date, UUID, URL, data, object ID or a collection of those."
    return problem(
      "argument \(argumentIndex) has the type '\(typeName)', which a predicate cannot hold,",
      recovery: recovery
    )
  }

  private func converted(
    _ expression: ExpressionNode,
    for placeholder: FormatPlaceholder,
    _ argument: Any?
  ) throws(FormatProblem) -> ExpressionNode {
    let name = text(of: token)
    guard case .constant(let value) = expression else {
      if placeholder == .value || placeholder == .interpolation { return expression }
      throw mismatch(name, argument)
    }
    switch (placeholder, value) {
    case (.integer, .integer), (.double, .double), (.text, .string): return expression
    case (.integer, .boolean(let flag)): return .constant(.integer(flag ? 1 : 0))
    case (.integer, .double(let number)):
      if let whole = Int64(exactly: number) { return .constant(.integer(whole)) }
      throw mismatch(name, argument)
    case (.double, .integer(let number)): return .constant(.double(Double(number)))
    case (.double, .boolean(let flag)): return .constant(.double(flag ? 1 : 0))
    case (.double, .decimal): return expression
    case (.integer, _), (.double, _), (.text, _): throw mismatch(name, argument)
    default: return expression
    }
  }

  @inline(never)
  private func mismatch(_ name: String, _ argument: Any?) -> FormatProblem {
    problem(
      "argument \(argumentIndex) is \(Self.typeName(of: argument)), which does not fit \(name),",
      recovery: "use %@, which takes a value of any type."
    )
  }

  private static func typeName(of argument: Any?) -> String {
    ArgumentConversion.unwrapped(argument).map { "'\(type(of: $0))'" } ?? "nil"
  }

  // MARK: Key paths

  /// The steps of the key path for `%K`.
  @inline(never)
  mutating func keyPathArgument() throws(FormatProblem) -> [Step] {
    let argument = try nextArgument()
    let value = ArgumentConversion.unwrapped(argument).flatMap(ArgumentConversion.scalar)
    guard case .string(let path)? = value else {
      throw problem(
        "argument \(argumentIndex) is \(Self.typeName(of: argument)), but a key path is a string,",
        recovery: "pass the key path as a String, or use %@ for a value."
      )
    }
    let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !keys.contains("") else {
      throw problem("argument \(argumentIndex) is no key path: a key in it is empty,")
    }
    var steps: [Step] = []
    for (position, key) in keys.enumerated() where position > 0 || key != "SELF" {
      steps.append(key.hasPrefix("@") ? .operation(try collectionOperator(key)) : .key(key))
    }
    advance()
    return steps
  }
}
