// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Names of Swift made of names of a model.
enum SwiftName {
  /// Words that are names only between back quotes.
  private static let keywords: Set<String> = [
    "Any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
    "default",
    "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate",
    "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
    "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
    "Self",
    "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias",
    "var", "where", "while", "Protocol", "Type",
  ]

  /// Types that generated source and the macros name: a class or a property of such a name would stand
  /// in front of them.
  static let types: Set<String> = [
    "Any", "AnyKeyPath", "AnyObject", "AttributeDescription", "Bool", "Codable",
    "CompositeAttribute", "Data",
    "Date",
    "Decimal", "Double", "EntityDescription", "FetchIndexDescription", "FetchPredicate",
    "FetchRequest", "FetchRequestTemplate", "FetchedPropertyDescription", "Float", "Foundation",
    "Identifiable", "Int", "Int16", "Int32", "Int64", "ManagedEntity", "ManagedObject",
    "ManagedObjectID", "ManagedObjectModel", "Never", "Optional", "OrderedToMany", "Perennial",
    "PerennialError", "PropertyDescription", "Protocol", "RelationshipDescription", "Root", "Self",
    "Sendable", "Snapshot", "Storage", "String", "Swift", "ToMany", "Type", "URL", "UUID",
    "ValidationPredicate", "_ElementReader", "_ElementWriter", "entities", "model",
    // The macros.
    "Attribute", "Composite", "Indexed", "Managed", "Relationship", "Transient", "Unique",
  ]

  /// What a class inherits as static members that may be called without arguments.
  static let requests: Set<String> = [
    "all", "filter", "fetchRequest", "entity", "entityName", "slotCount", "toManyCount", "init",
    "propertyName", "validatesEachValue", "validateValue", "completeEntity", "snapshot", "self",
    "Type", "Protocol",
  ]

  /// A name as source has it: between back quotes when it is a keyword.
  static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// Words that begin a type where a type is expected.
  private static let wordsOfTypes: Set<String> = ["any", "each", "some"]

  /// Whether a class may have a name: one that it inherits as a member would be taken for the member in it.
  static func canNameClass(_ name: String) -> Bool {
    isName(name) && !types.contains(name) && !keywords.contains(name)
      && !wordsOfTypes.contains(name) && !requests.contains(name)
      && !ReservedNames.ofProperties.contains(name)
  }

  /// Whether a text is a name of Swift, also one that needs back quotes.
  static func isName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, isLetter(first) else { return false }
    return text.unicodeScalars.allSatisfy { isLetter($0) || isDigit($0) } && text != "_"
  }

  /// A name made of any text: what cannot stand in a name ends a word.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - isCapital: Whether it begins with a capital letter, or with a small one.
  /// - Returns: Such as `recentCommits` for `Recent commits`; `unnamed` when nothing can stand in a name.
  static func name(of text: String, isCapital: Bool) -> String {
    let words = text.unicodeScalars.split { !isLetter($0) && !isDigit($0) }.map(String.init)
    let name = words.enumerated().map { index, word in
      let first = word.prefix(1)
      if index == 0, !isCapital { return beginningSmall(word) }
      return first.uppercased() + word.dropFirst()
    }.joined()
    if name.isEmpty { return isCapital ? "Unnamed" : "unnamed" }
    return isName(name) ? name : "_" + name
  }

  /// `FIRST_NAME` as `firstName`, `URLString` as `urlString`, `Name` as `name`.
  private static func beginningSmall(_ word: String) -> String {
    let capitals = word.prefix { $0.isUppercase || $0.isNumber || $0 == "_" }
    if capitals.count == word.count, word.first != "_" {
      let parts = word.lowercased().split(separator: "_")
      return (parts.first.map(String.init) ?? "")
        + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
    let count = capitals.count > 1 ? capitals.count - 1 : capitals.count
    return word.prefix(count).lowercased() + word.dropFirst(count)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_"
      || scalar.properties.isAlphabetic && scalar.properties.generalCategory != .nonspacingMark
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.numericType != nil || scalar.properties.isAlphabetic
  }
}
