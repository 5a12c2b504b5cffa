// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension Diagnostic {
  /// Every error and warning that the macros report: what is wrong, then what to do.
  enum Message: Equatable {
    case unknownMessage(String)
    case unreadableMessage
    case messageTooLong
    case unknownMacro(String, role: String)

    case notClass(String)
    case noSuperclass(String)
    case genericClass(String)
    case appliedTwice(String)
    case mainActorClass
    case snapshotClass
    case unseen(String)

    case needsType(String)
    case tuplePattern
    case severalNames
    case observers(String)
    case lazyProperty(String)
    case weakProperty(String, modifier: String)
    case overridden(String)
    case conditional(String)
    case declaredTwice(String)
    case reservedName(String)
    case nameNotLiteral(String)
    case needsValue(String, type: String)
    case passingDefault

    case notProperty(attribute: String)
    case listedTwice([String])
    case unknownProperty(String, argument: String)
    case toManyInList(String, argument: String)
    case defaultOfRelationship(String)
    case attributeAndRelationship(String)
    case requiredToOne(String, type: String)
    case collectionOfObjects(String, element: String)
    case optionalToMany(String)
    case countOfToOne(String)
    case transientRelationship(String)
    case inverseWithoutRoot(String)
    case inverseTooLong(String)
    case inverseOfItself(String, written: String)
    case ruleOfOtherType(String, rule: String, type: String)
    case derivedTransient(String)

    case notStruct(String)
    case genericStruct(String)
    case emptyStruct(String)
    case constantElement(String)
    case toManyElement(String)
    case markOfElement(String, mark: String)
    case derivedElement(String)

    case noSlot

    case format(String)
    case formatArguments
    case formatNotLiteral
  }
}

extension Diagnostic.Message {
  /// Whether the source compiles all the same.
  var isWarning: Bool {
    if case .passingDefault = self { return true }
    return false
  }

  /// The text that the user reads.
  var text: String {
    switch self {
    case .unknownMessage(let name):
      "PerennialMacros does not know protocol message \(name) of this compiler; update Perennial"
    case .unreadableMessage:
      "PerennialMacros cannot read a protocol message of this compiler; update Perennial"
    case .messageTooLong:
      "PerennialMacros got a protocol message that is too long; split the source file"
    case .unknownMacro(let name, let role):
      "PerennialMacros has no macro '\(name)' of role '\(role)'; build the whole package again"
    default: classText ?? compositeText ?? propertyText ?? argumentText
    }
  }

  private var classText: String? {
    switch self {
    case .notClass(let name):
      "'@Managed' is for classes and '\(name)' is not one; write 'final class \(name): ManagedObject'"
    case .noSuperclass(let name):
      "class '\(name)' does not inherit from ManagedObject; write 'class \(name): ManagedObject'"
    case .genericClass(let name):
      "class '\(name)' is generic, but an entity has one fixed list of properties; "
        + "remove the generic parameters"
    case .appliedTwice(let name):
      "'@\(name)' stands here twice; put all its arguments into one"
    case .mainActorClass:
      "an object belongs to its context and not to an actor; remove '@MainActor'"
    case .snapshotClass:
      "'Snapshot' is the name of the copies that '@Managed' adds to classes; rename the class"
    case .unseen(let name):
      "PerennialMacros does not find '\(name)' among the properties of the class; "
        + "move functions and computed properties into an extension"
    default: nil
    }
  }

  private var compositeText: String? {
    switch self {
    case .notStruct(let name):
      "'@Composite' is for structs and '\(name)' is not one; write 'struct \(name)'"
    case .genericStruct(let name):
      "struct '\(name)' is generic, but a composite attribute has one fixed list of elements; "
        + "remove the generic parameters"
    case .emptyStruct(let name):
      "struct '\(name)' has no elements; declare a 'var' with a type"
    case .constantElement(let name):
      "'\(name)' is an element of a composite attribute, which is read from a store; "
        + "write 'var', or make it computed or static"
    case .toManyElement(let name):
      "'\(name)' is a relationship, which only a '@Managed' class can have; move it there"
    case .markOfElement(let name, let mark):
      "'@\(mark)' is for the properties of a '@Managed' class and '\(name)' is an element of a "
        + "composite attribute; remove it"
    case .derivedElement(let name):
      "'\(name)' is an element of a composite attribute and cannot be derived; "
        + "derive a property of the '@Managed' class"
    default: nil
    }
  }

  private var propertyText: String? {
    switch self {
    case .needsType(let name):
      "'\(name)' needs a type; write 'var \(name): Type'"
    case .tuplePattern:
      "a pattern cannot be persistent; declare one 'var' for each value"
    case .severalNames:
      "several properties in one 'var' cannot be persistent; declare one 'var' for each"
    case .observers(let name):
      "'\(name)' is persistent and cannot have observers; move the code into a method that sets it"
    case .lazyProperty(let name):
      "'\(name)' is persistent and cannot be lazy, since it is read from the store when needed; "
        + "remove 'lazy'"
    case .weakProperty(let name, let modifier):
      "'\(name)' is persistent and relationships keep nothing alive; remove '\(modifier)'"
    case .overridden(let name):
      "'\(name)' overrides a property, but each property belongs to one entity; "
        + "remove it here, or rename it"
    case .conditional(let name):
      "'\(name)' is inside '#if', so the model would differ from build to build; "
        + "move it out of the '#if'"
    case .declaredTwice(let name):
      "'\(name)' is declared twice; rename one of them"
    case .reservedName(let name):
      "'\(name)' is a name that every managed object has already; rename the property, "
        + "for example '\(Self.rename(name))'"
    case .nameNotLiteral(let name):
      "the name of '\(name)' in the model must be known here; write it as a plain string literal"
    case .needsValue(let name, let type):
      "'\(name)' has no value in a new object, because '\(type)' has no zero; "
        + "write '\(type)?' or give it a default"
    case .passingDefault:
      "a default is one value for all objects; set it in 'awakeFromInsert()'"
    default: nil
    }
  }

  private var argumentText: String {
    switch self {
    case .notProperty(let attribute):
      "'@\(attribute)' is for the persistent properties of a '@Managed' class; remove it"
    case .listedTwice(let names):
      "the uniqueness of '\(names.joined(separator: ", "))' is declared twice; remove one"
    case .unknownProperty(let name, let argument):
      "'\(argument)' names '\(name)', which is no property of this class; correct the name"
    case .toManyInList(let name, let argument):
      "'\(argument)' names '\(name)', which is a to-many relationship and has no column; remove it"
    case .defaultOfRelationship(let name):
      "'\(name)' is a relationship and begins empty; remove the default value"
    case .attributeAndRelationship(let name):
      "'\(name)' is marked as an attribute and as a relationship; remove one of the marks"
    case .requiredToOne(let name, let type):
      "'\(name)' is empty in a new object; write '\(type)?', and 'optional: false' to require it"
    case .collectionOfObjects(let name, let element):
      "'\(name)' is a to-many relationship; write 'ToMany<\(element)>', or 'OrderedToMany<\(element)>' for a list"
    case .optionalToMany(let name):
      "'\(name)' is a to-many relationship, which can be empty but never nil; remove the '?'"
    case .countOfToOne(let name):
      "'\(name)' is not a to-many relationship; remove the counts"
    case .transientRelationship(let name):
      "'\(name)' is a relationship and cannot be transient; remove one of the marks"
    case .inverseWithoutRoot(let path):
      "the inverse '\(path)' does not name its class; write it as '\\Author.commits'"
    case .inverseTooLong(let path):
      "the inverse '\(path)' is not one relationship; write it as '\\Author.commits'"
    case .inverseOfItself(let name, let written):
      "'\(name)' is its own inverse, which a key path cannot say; write 'inverse: \(written)'"
    case .ruleOfOtherType(let name, let rule, let type):
      "'\(name)' is of type \(type), for which '\(rule)' has no meaning; remove it"
    case .derivedTransient(let name):
      "'\(name)' is derived, which is stored, and transient, which is not; remove one of the marks"
    case .noSlot:
      "'@_ManagedProperty' is written by '@Managed' and not by hand; remove it"
    case .format(let sentence): sentence
    case .formatArguments:
      "'#FetchPredicate' takes a class and a format: '#FetchPredicate(Person.self, \"name == \\(name)\")'"
    case .formatNotLiteral:
      "only a string literal can be checked at compile time; write the format here, "
        + "or use 'FetchPredicate(parsing:arguments:)'"
    default: ""
    }
  }

  private static func rename(_ name: String) -> String {
    "item" + name.prefix(1).uppercased() + name.dropFirst()
  }
}
