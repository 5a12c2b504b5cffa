// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A piece of the user's source as the compiler sends it.
struct SourceText: Equatable {
  /// The text, with the trivia in front.
  var source: String
  /// The file's name, as diagnostics must repeat it.
  var fileName: String
  /// The position of the text's first byte in the file, in UTF-8 bytes.
  var offset: Int

  /// A text without a place.
  static let empty = SourceText(source: "", fileName: "", offset: 0)
}

extension SourceText {
  init?(_ json: JSON?) {
    guard let json, let source = json["source"]?.string else { return nil }
    // Bounded, so that no sum of offsets overflows.
    let offset = json["location"]?["offset"]?.integer ?? 0
    self.init(
      source: source,
      fileName: json["location"]?["fileName"]?.string ?? "",
      offset: min(max(offset, 0), 1 << 40)
    )
  }
}

/// The compiler's request to expand one macro in one role.
struct ExpansionRequest {
  /// The name after `type:` in `#externalMacro`.
  var macro: String
  /// `member`, `memberAttribute`, `accessor`, `peer`, `extension` or `expression`.
  var role: String
  /// The attribute, such as `@Managed(unique: ["sha"])`; the whole use of a freestanding macro.
  var attribute: SourceText
  /// The declaration with the attribute.
  var declaration: SourceText
  /// For `memberAttribute`, the class around the declaration.
  var parent: SourceText
  /// For `extension`, the type to extend.
  var extendedType: String?
  /// For `extension`, the conformances that are missing; `nil` when the compiler does not say.
  var missingConformances: String?
}

extension ExpansionRequest {
  /// Reads the body of an `expandAttachedMacro` message; what is missing becomes empty.
  init(_ json: JSON) {
    macro = json["macro"]?["typeName"]?.string ?? ""
    role = json["macroRole"]?.string ?? ""
    attribute = SourceText(json["attributeSyntax"]) ?? .empty
    declaration = SourceText(json["declSyntax"]) ?? .empty
    parent = SourceText(json["parentDeclSyntax"]) ?? .empty
    extendedType = json["extendedTypeSyntax"]?["source"]?.string
    missingConformances = json["conformanceListSyntax"]?["source"]?.string
  }

  /// Reads the body of an `expandFreestandingMacro` message; what is missing becomes empty.
  init(freestanding json: JSON) {
    macro = json["macro"]?["typeName"]?.string ?? ""
    role = json["macroRole"]?.string ?? "expression"
    attribute = SourceText(json["syntax"]) ?? .empty
    declaration = .empty
    parent = .empty
  }
}
