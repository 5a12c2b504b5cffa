// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The arguments of `@Managed`.
struct ManagedArguments: Equatable {
  /// A list such as `["repo", "sha"]`.
  struct NameList: Equatable {
    /// The expression as written.
    var text: String
    /// The names in it; `nil` when it is not a plain list of literals.
    var names: [String]?
  }

  /// The expression of the entity's name; `nil` for that of the class.
  var entityName: String?
  /// The lists of `unique:`.
  var unique: [NameList]
  /// The lists of `indexes:`.
  var indexes: [NameList]
  /// The expression of `isAbstract:`.
  var isAbstract: String?
  /// The expression of `renamedFrom:`.
  var renamedFrom: String?

  /// Reads the text of the attribute.
  init(_ attribute: SourceText) {
    var scanner = Scanner(attribute.source)
    let arguments = scanner.takeAttributes().first?.arguments ?? []
    func value(_ label: String?) -> String? { arguments.first { $0.label == label }?.value }
    func lists(_ label: String) -> [NameList] {
      arguments.filter { $0.label == label }.map {
        NameList(text: $0.value, names: Self.names($0.value))
      }
    }
    entityName = value(nil).flatMap { $0 == "nil" ? nil : $0 }
    unique = lists("unique")
    indexes = lists("indexes")
    isAbstract = value("isAbstract")
    renamedFrom = value("renamedFrom")
  }

  /// The names in `["repo", "sha"]`.
  private static func names(_ text: String) -> [String]? {
    guard text.hasPrefix("["), text.hasSuffix("]"), !text.contains("\\") else { return nil }
    var names: [String] = []
    for element in text.dropFirst().dropLast().split(separator: ",") {
      var name = element[...]
      while let last = name.last, last.isWhitespace { name.removeLast() }
      while let first = name.first, first.isWhitespace { name.removeFirst() }
      if name.isEmpty { continue }
      guard name.count > 2, name.first == "\"", name.last == "\"" else { return nil }
      name = name.dropFirst().dropLast()
      guard !name.contains("\"") else { return nil }
      names.append(String(name))
    }
    return names
  }
}
