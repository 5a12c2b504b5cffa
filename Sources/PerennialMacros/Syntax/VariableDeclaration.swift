// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A `var` or `let` in a class.
struct VariableDeclaration: Equatable {
  /// How its value comes about.
  enum Body: Equatable {
    /// It is stored.
    case stored
    /// It has a getter of its own.
    case computed
    /// It is stored and has `willSet` or `didSet`.
    case observed
  }

  /// A word such as `lazy` or `private(set)`.
  struct Modifier: Equatable {
    var name: String
    var range: Range<Int>
    /// Whether `(set)` stands behind it.
    var isOfSetter = false
  }

  /// The attributes in front of it.
  var attributes: [Attribute]
  /// The modifiers in front of it.
  var modifiers: [Modifier]
  /// Whether it is a `let`.
  var isLet: Bool
  /// Its name as written, with back quotes when it has them.
  var spelling: String
  /// The place of the name, or of the whole pattern.
  var nameRange: Range<Int>
  /// Whether it is a pattern such as `(a, b)`.
  var isTuple = false
  /// Whether more names follow behind a comma.
  var hasSeveral = false
  /// Its type as written.
  var type: String?
  /// The place of the type.
  var typeRange: Range<Int>
  /// Its initial value as written.
  var initialValue: String?
  /// The place of the initial value.
  var initialRange: Range<Int>
  /// How its value comes about.
  var body = Body.stored
  /// The place of the braces, when there are some.
  var bodyRange: Range<Int>
  /// Whether it is inside `#if`.
  var isConditional = false

  /// Its name without back quotes.
  var name: String { spelling.filter { $0 != "`" } }

  /// Its name in the model: the one that `@Attribute(name:)` or `@Relationship(name:)` gives, else its
  /// own.
  var modelName: String { nameArgument.flatMap(\.plainText) ?? name }

  /// The argument that names it in the model.
  var nameArgument: Attribute.Argument? {
    let marks = attributes.filter { $0.name == "Attribute" || $0.name == "Relationship" }
    return marks.lazy.flatMap(\.arguments).first { $0.label == "name" && $0.value != "nil" }
  }

  /// Its name as the label of an argument, where keywords need no back quotes, but for `inout`.
  var label: String {
    let isIdentifier = name.utf8.allSatisfy(Scanner.isWordByte) && name.first?.isNumber != true
    return isIdentifier && name != "inout" ? name : spelling
  }

  /// Whether it belongs to the class and not to its objects.
  var isStatic: Bool { has("static") || has("class") }

  /// Whether it has a modifier, and not only its setter.
  func has(_ modifier: String) -> Bool {
    modifiers.contains { $0.name == modifier && !$0.isOfSetter }
  }

  /// The first of its attributes that has a name.
  func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }

  /// Whether it is marked `@Indexed(.fullText)`, or otherwise `@Indexed`.
  func isIndexed(asText: Bool) -> Bool {
    attributes.contains { attribute in
      attribute.name == "Indexed"
        && (attribute.value(nil)?.hasSuffix(".fullText") ?? false) == asText
    }
  }

  /// Whether `@Managed` makes it a property of the entity.
  var isPersistent: Bool { !isLet && !isStatic && body != .computed }

  /// Whether it is a to-many relationship, by the beginning of its type.
  var isToMany: Bool {
    guard let type else { return false }
    let generic = type.prefix { $0 != "<" }
    guard generic.endIndex < type.endIndex else { return false }
    let name = generic.split { $0 == "." || $0 == ":" || $0.isWhitespace }.last
    return name == "ToMany" || name == "OrderedToMany"
  }

  /// The type of its value when it may have none: `Author` for `Author?` and `Optional<Author>`.
  var wrappedType: String? {
    guard let type else { return nil }
    if type.hasSuffix("?") || type.hasSuffix("!") { return String(type.dropLast()) }
    let prefixes = ["Optional<", "Swift.Optional<", "Swift::Optional<"]
    let prefix = prefixes.first { type.hasPrefix($0) }
    guard let prefix, type.hasSuffix(">") else { return nil }
    return String(type.dropFirst(prefix.count).dropLast())
  }

  /// Its type with `?` for `!`, which no type expression may have.
  var typeForMetatype: String? {
    guard let type else { return nil }
    return type.hasSuffix("!") ? type.dropLast() + "?" : type
  }
}
