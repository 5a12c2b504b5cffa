// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Finds what `@Managed` does not support in a class.
struct ClassCheck {
  private let declaration: ClassDeclaration
  private let arguments: ManagedArguments
  private let source: SourceText
  private(set) var diagnostics: [Diagnostic] = []
  /// Whether it is a class, not generic, and has a superclass.
  private(set) var isManagedClass = false

  /// Checks a class and its properties.
  ///
  /// - Parameters:
  ///   - declaration: The class.
  ///   - arguments: Those of `@Managed`.
  ///   - source: The text that the class was scanned from.
  init(_ declaration: ClassDeclaration, _ arguments: ManagedArguments, in source: SourceText) {
    self.declaration = declaration
    self.arguments = arguments
    self.source = source
    checkClass()
    isManagedClass = diagnostics.isEmpty
    checkAttributes()
    guard declaration.keyword == "class" else { return }
    for variable in declaration.persistent {
      diagnostics += PropertyCheck(variable, in: source).diagnostics
    }
    checkSelfInverses()
    checkNames()
    checkLists()
  }

  private mutating func report(
    _ message: Diagnostic.Message,
    at range: Range<Int>,
    fixIts: [Diagnostic.FixIt] = []
  ) {
    diagnostics.append(Diagnostic(message, in: source, at: range, fixIts: fixIts))
  }

  private mutating func checkClass() {
    let name = declaration.name
    guard declaration.keyword == "class" else {
      return report(.notClass(name), at: declaration.keywordRange)
    }
    if let generic = declaration.genericRange { report(.genericClass(name), at: generic) }
    checkSuperclass()
  }

  private mutating func checkAttributes() {
    for attribute in declaration.attributes where attribute.name == "MainActor" {
      report(
        .mainActorClass,
        at: attribute.range,
        fixIts: [.init(message: "remove '@MainActor'", range: attribute.range, newText: "")]
      )
    }
    let managed = declaration.attributes.filter { $0.name == "Managed" && !$0.isConditional }
    if managed.count > 1 { report(.appliedTwice("Managed"), at: managed[1].range) }
  }

  /// Reports a class that begins with a protocol or has no inheritance clause.
  ///
  /// A macro does not see other declarations, so only well-known protocols are recognised.
  private mutating func checkSuperclass() {
    let message = "inherit from 'ManagedObject'"
    guard let superclass = declaration.superclass else {
      let end = declaration.genericRange?.upperBound ?? declaration.nameRange.upperBound
      let fixIt = Diagnostic.FixIt(message: message, range: end..<end, newText: ": ManagedObject")
      return report(.noSuperclass(declaration.name), at: declaration.nameRange, fixIts: [fixIt])
    }
    let protocols: Set<String> = [
      "ManagedEntity", "Codable", "Encodable", "Decodable", "Equatable", "Hashable", "Comparable",
      "Identifiable", "Sendable", "CustomStringConvertible", "CustomDebugStringConvertible",
      "Observable", "ObservableObject", "NSObject", "AnyObject",
    ]
    guard protocols.contains(superclass.name) || superclass.name.isEmpty else { return }
    let start = superclass.range.lowerBound
    let separator = superclass.name.isEmpty ? "" : ", "
    let fixIt = Diagnostic.FixIt(
      message: message,
      range: start..<start,
      newText: "ManagedObject" + separator
    )
    report(.noSuperclass(declaration.name), at: declaration.nameRange, fixIts: [fixIt])
  }

  /// Reports a key path to the relationship that it marks: to resolve it, the compiler needs the mark.
  private mutating func checkSelfInverses() {
    for variable in declaration.persistent {
      let arguments = variable.attribute("Relationship")?.arguments ?? []
      let itself = "\\\(declaration.name).\(variable.name)"
      guard let inverse = arguments.first(where: { $0.label == "inverse" }), inverse.value == itself
      else { continue }
      let name = "\"\(variable.modelName)\""
      let fixIt = Diagnostic.FixIt(message: "write '\(name)'", range: inverse.range, newText: name)
      report(.inverseOfItself(variable.name, written: name), at: inverse.range, fixIts: [fixIt])
    }
  }

  private mutating func checkNames() {
    if declaration.name == "Snapshot" { report(.snapshotClass, at: declaration.nameRange) }
    var seen: Set<String> = []
    for variable in declaration.persistent where !variable.isTuple && !variable.isConditional {
      if !seen.insert(variable.modelName).inserted {
        let place = variable.nameArgument?.range ?? variable.nameRange
        report(.declaredTwice(variable.modelName), at: place)
      }
    }
  }

  private mutating func checkLists() {
    let isUnique = declaration.persistent.filter { $0.attribute("Unique") != nil }
    var seen = Set(isUnique.map { [$0.modelName] })
    for list in arguments.unique {
      if let names = list.names, !seen.insert(names).inserted {
        report(.listedTwice(names), at: place(of: list))
      }
    }
    check(arguments.unique, of: "unique")
    check(arguments.indexes, of: "indexes")
  }

  private mutating func check(_ lists: [ManagedArguments.NameList], of argument: String) {
    for list in lists {
      for name in list.names ?? [] {
        // `address.zip` may be an element of a composite attribute.
        let variable = declaration.persistent.first {
          $0.modelName == name || name.hasPrefix($0.modelName + ".")
        }
        if let variable {
          if variable.isToMany {
            report(.toManyInList(name, argument: argument), at: place(of: list))
          }
        } else if declaration.isRoot {
          report(.unknownProperty(name, argument: argument), at: place(of: list))
        }
      }
    }
  }

  /// The place of a list of `@Managed` in the class's text; the class's name when it is not there.
  private func place(of list: ManagedArguments.NameList) -> Range<Int> {
    let managed = declaration.attributes.first { $0.name == "Managed" }
    let argument = managed?.arguments.first { $0.value == list.text }
    return argument?.range ?? declaration.nameRange
  }
}
