// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension ManagedClass {
  /// The members that `@Managed` adds to the class and its warnings, or what is wrong with the class.
  func memberExpansion() -> Expansion {
    guard diagnostics.isEmpty else { return Expansion(diagnostics: diagnostics) }
    var members = [
      override("var slotCount: Int", returns: slotCount),
      override("var toManyCount: Int", returns: slot(toManys.count, isToMany: true)),
      override("var entityName: String", returns: entityName),
      entityMember(),
      propertyNameMember(),
      isolationMember(),
    ]
    if declaration.otherNames.contains("validateValue"),
      !declaration.variables.contains(where: { $0.name == "validatesEachValue" })
    {
      members.append(override("var validatesEachValue: Bool", returns: "true"))
    }
    if declaration.isRoot, !declaration.otherNames.contains("Snapshot") {
      members += [snapshotType(), snapshotFunction()]
    }
    return Expansion(source: members.joined(separator: "\n"), diagnostics: warnings)
  }

  /// The expression of the slot at which subclasses begin.
  ///
  /// Composite attributes take further slots behind those that have a number.
  private var slotCount: String {
    let isFinal = declaration.modifiers.contains { $0.name == "final" }
    let own = isFinal ? "\(slots.count)" : SlotCount(of: slots).text
    return slot(own, isToMany: false)
  }

  /// The expression of the entity's name.
  private var entityName: String { arguments.entityName ?? quoted(declaration.name) }

  private var access: String { declaration.overrideAccess }

  private func quoted(_ name: String) -> String { "\"\(name)\"" }

  private func override(_ member: String, returns value: String) -> String {
    "\(access)nonisolated override class \(member) { \(value) }"
  }

  private func entityMember() -> String {
    let uniqueNames = declaration.persistent.filter { $0.attribute("Unique") != nil }
    let indexedNames = declaration.persistent.filter { $0.isIndexed(asText: false) }
    let textNames = declaration.persistent.filter { $0.isIndexed(asText: true) }
      .map { quoted($0.modelName) }
    let unique = uniqueNames.map { "[\(quoted($0.modelName))]" } + arguments.unique.map(\.text)
    let indexes = indexedNames.map { "[\(quoted($0.modelName))]" } + arguments.indexes.map(\.text)
    let properties = declaration.persistent.map { "        \(PropertyExpansion($0).text),\n" }
    let superclass = declaration.superclass?.name ?? "ManagedObject"
    let isCompleted = declaration.otherNames.contains("completeEntity")
    return """
      \(access)nonisolated override class var entity: EntityDescription {
        enum _EntityStorage {
          static let \(isCompleted ? "marked" : "entity") = EntityDescription(
            managing: \(declaration.spelling).self, named: \(entityName), \
      superclass: \(superclass).self, isAbstract: \(arguments.isAbstract ?? "false"),
            renamedFrom: \(arguments.renamedFrom ?? "nil"), \
      uniqueness: [\(unique.joined(separator: ", "))], \
      indexes: [\(indexes.joined(separator: ", "))],\
      \(textNames.isEmpty ? "" : " fullText: [\(textNames.joined(separator: ", "))],")
            properties: [\(properties.isEmpty ? "" : "\n")\(properties.joined())\
      \(properties.isEmpty ? "" : "      ")])\(isCompleted ? completion : "")\(inverseCheck())
        }
        return _EntityStorage.entity
      }
      """
  }

  /// The description that the class's own function completes.
  private var completion: String {
    """

        static let entity: EntityDescription = {
          var entity = marked
          \(declaration.spelling).completeEntity(&entity)
          return entity
        }()
    """
  }

  /// A function that is never called: it makes the compiler look up the inverses' key paths.
  private func inverseCheck() -> String {
    let paths = declaration.persistent.compactMap { variable -> String? in
      let argument = variable.attribute("Relationship")?.value("inverse")
      guard let argument, case .keyPath(let path, _) = Inverse(argument) else { return nil }
      return "      _ = \(path)\n"
    }
    guard !paths.isEmpty else { return "" }
    return "\n    static func checkInverses() {\n\(paths.joined())    }"
  }
}
