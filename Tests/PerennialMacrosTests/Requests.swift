// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

@testable import PerennialMacros

/// Requests and answers as the compiler exchanges them.
enum Request {
  /// The place that the tests give every declaration.
  static let offset = 100

  static func text(_ source: String, offset: Int = Request.offset) -> SourceText {
    SourceText(source: source, fileName: "File.swift", offset: offset)
  }

  /// A class scanned from its text; its attribute is the first one in it.
  static func managedClass(_ source: String) -> ManagedClass {
    var scanner = Scanner(source)
    let range = scanner.takeAttributes().first?.range ?? 0..<0
    return ManagedClass(text(source), text(scanner.text(range)))
  }

  /// The message that asks for one role of one macro.
  static func message(
    _ macro: String,
    _ role: String,
    attribute: String,
    declaration: String,
    parent: String? = nil
  ) -> JSON {
    [
      "expandAttachedMacro": [
        "macro": ["moduleName": "PerennialMacros", "typeName": .string(macro)],
        "macroRole": .string(role),
        "attributeSyntax": syntax(attribute),
        "declSyntax": syntax(declaration),
        "parentDeclSyntax": parent.map(syntax) ?? .null,
        "extendedTypeSyntax": ["source": "Commit"],
        "conformanceListSyntax": ["source": "struct Placeholder: ManagedEntity {}"],
      ]
    ]
  }

  private static func syntax(_ source: String) -> JSON {
    [
      "kind": "declaration",
      "source": .string(source),
      "location": ["fileName": "File.swift", "offset": .integer(offset)],
    ]
  }

  /// The answer of a new server, read back.
  static func answer(_ message: [UInt8]) -> JSON? {
    var server = PluginServer()
    return JSONReader.read(server.answer(message))
  }

  /// Whether an answer has the shape that the compiler expects.
  static func isWellFormed(_ answer: JSON?) -> Bool {
    if answer?["getCapabilityResult"]?["capability"]?["protocolVersion"]?.integer != nil {
      return true
    }
    guard let result = answer?["expandMacroResult"], result["expandedSource"]?.string != nil,
      case .array(let diagnostics) = result["diagnostics"]
    else { return false }
    return diagnostics.allSatisfy {
      $0["message"]?.string?.isEmpty == false && $0["position"]?["offset"]?.integer != nil
    }
  }
}
