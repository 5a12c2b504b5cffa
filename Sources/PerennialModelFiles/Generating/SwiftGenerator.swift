// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Writes the Swift source of a model.
struct SwiftGenerator {
  private let document: ModelDocument
  private let options: SwiftOptions
  private let classes: ClassNames
  private let entities: [String: EntityDescription]
  /// The type that stands for the model.
  private let modelType: String
  /// The names that no variable may have.
  private let reserved: Set<String>
  private let parents: Set<String>
  private var variables: [String: PropertyNames] = [:]
  /// The names of the functions of fetch requests; a class inherits those of its superclass.
  private var requestNames = SwiftName.requests
  private var notes: [ModelDiagnostic]
  private var warnings: [ModelDiagnostic] = []

  init(_ document: ModelDocument, named name: String, _ options: SwiftOptions) {
    self.document = document
    self.options = options
    classes = ClassNames(document, options)
    notes = classes.notes
    parents = Set(document.model.entities.compactMap(\.parent))
    entities = document.model.entitiesByName
    var type = SwiftName.name(of: name, isCapital: true)
    if !options.usesNamespace, !type.hasSuffix("Model") { type += "Model" }
    while classes.all.contains(type) || SwiftName.types.contains(type) { type += "_" }
    modelType = type
    reserved = ReservedNames.ofProperties.union(SwiftName.types).union(classes.all).union([type])
  }

  private var access: String {
    options.access == .internal ? "" : options.access.rawValue + " "
  }

  /// The files that the build writes, and what is not as the author of the model may expect.
  mutating func source() -> SwiftSource {
    var files: [SwiftFile] = []
    for entity in document.model.entities {
      nameVariables(of: entity)
      switch document.codeGeneration(of: entity.name, options) {
      case .manual: break
      case .classDefinition:
        files.append(classFile(of: entity, .machine))
      case .categoryExtension:
        files.append(classFile(of: entity, .machine))
        files.append(humanFile(of: entity))
      }
    }
    if !files.isEmpty { files += commonFiles(.machine) }
    return SwiftSource(files: files, warnings: Self.sorted(warnings), notes: Self.sorted(notes))
  }

  /// The files that are edited by hand: a beginning for their authors.
  mutating func handwrittenSource() -> SwiftSource {
    var files: [SwiftFile] = []
    var isAllManual = true
    for entity in document.model.entities {
      nameVariables(of: entity)
      switch document.codeGeneration(of: entity.name, options) {
      case .manual: files.append(classFile(of: entity, .human))
      case .classDefinition: isAllManual = false
      case .categoryExtension:
        isAllManual = false
        files.append(humanFile(of: entity))
      }
    }
    if isAllManual { files += commonFiles(.human) }
    return SwiftSource(files: files, warnings: Self.sorted(warnings), notes: Self.sorted(notes))
  }

  private static func sorted(_ diagnostics: [ModelDiagnostic]) -> [ModelDiagnostic] {
    diagnostics.sorted { ($0.line, $0.message) < ($1.line, $1.message) }
  }

  private func file(_ name: String, _ body: String, _ part: SwiftFile.Part = .machine) -> SwiftFile
  {
    SwiftFile(name: name + ".swift", part: part, access: options.access, body: enclosed(body))
  }

  /// Declarations as members of the model's namespace, when there is one.
  private func enclosed(_ body: String) -> String {
    guard options.usesNamespace else { return body }
    let lines = body.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.isEmpty ? "" : "  " + $0
    }
    return "extension \(modelType) {\n" + lines.joined(separator: "\n") + "}\n"
  }

  // MARK: Classes

  /// Names the variables of an entity; the model gives superentities before subentities.
  private mutating func nameVariables(of entity: EntityDescription) {
    let parent = entity.parent.flatMap { variables[$0] }
    let own = entity.properties.map(\.name) + entity.fetchedProperties.map(\.name)
    let names = PropertyNames(own, after: parent, reserved: reserved)
    variables[entity.name] = names
    for name in own where names[name] != name {
      notes.append(
        ModelDiagnostic(
          line: document.places["\(entity.name).\(name)"] ?? 1,
          "'\(entity.name).\(name)' is called '\(names[name])' in Swift"
        )
      )
    }
  }

  private func isFinal(_ entity: EntityDescription) -> Bool { !parents.contains(entity.name) }

  private mutating func classFile(
    of entity: EntityDescription,
    _ part: SwiftFile.Part
  ) -> SwiftFile {
    let base = classes.bases[entity.name]
    let name = base ?? classes[entity.name]
    let source = ClassSource(
      entity: entity,
      name: name,
      superclass: entity.parent.map { classes[$0] } ?? "ManagedObject",
      isFinal: base == nil && isFinal(entity),
      variables: variables[entity.name] ?? PropertyNames([], reserved: []),
      classes: classes,
      composites: classes.composites,
      functions: templateSources(of: entity) + fetchedPropertySources(of: entity),
      access: access
    )
    return file(name, source.text, part)
  }

  private func humanFile(of entity: EntityDescription) -> SwiftFile {
    let name = classes[entity.name]
    let base = classes.bases[entity.name] ?? "ManagedObject"
    let body = """
      /// The entity '\(entity.name)', whose properties are in '\(base)'.
      \(access)nonisolated \(isFinal(entity) ? "final " : "")class \(name): \(base) {
      }

      """
    // Nothing of the library stands in the class's interface.
    return SwiftFile(name: name + ".swift", part: .human, body: enclosed(body))
  }

  // MARK: Fetch requests

  private mutating func templateSources(of entity: EntityDescription) -> [String] {
    var sources: [String] = []
    for template in document.model.fetchRequestTemplates where template.entityName == entity.name {
      var name = SwiftName.name(of: template.name, isCapital: false)
      while !requestNames.insert(name).inserted { name += "_" }
      let source = TemplateSource(
        template: template,
        name: name,
        entities: entities,
        classes: classes,
        access: access
      )
      do throws(PerennialError) {
        sources.append(try source.text())
      } catch {
        warnings.append(
          ModelDiagnostic(
            line: document.places["$" + template.name] ?? 1,
            "the fetch request '\(template.name)' has no function, because its condition cannot be "
              + "read: \(Self.firstLine(of: error.message))"
          )
        )
      }
    }
    return sources
  }

  /// The sentence, without the picture of the place below it.
  private static func firstLine(of message: String) -> String {
    message.split(whereSeparator: \.isNewline).first.map(String.init) ?? message
  }

  private func fetchedPropertySources(of entity: EntityDescription) -> [String] {
    entity.fetchedProperties.map { property in
      let type = classes[property.fetchRequest.entityName]
      let name = SwiftName.quoted(variables[entity.name]?[property.name] ?? property.name)
      return """
          /// The objects of the fetched property '\(SwiftLiteral.comment(property.name))'.
          \(access)func \(name)() throws(PerennialError) -> [\(type)] {
            try fetchedObjects(forKey: \(SwiftLiteral.string(property.name))).compactMap { $0 as? \(type) }
          }
        """
    }
  }

  // MARK: The model

  /// The composite types and the type that stands for the model.
  private func commonFiles(_ part: SwiftFile.Part) -> [SwiftFile] {
    let composites = classes.composites.sorted { $0.value < $1.value }.map { elements, name in
      let source = CompositeSource(
        name: name,
        elements: elements,
        composites: classes.composites,
        reserved: reserved,
        access: access
      )
      return file(name, source.text, part)
    }
    let model = SwiftFile(
      name: modelType + ".swift",
      part: part,
      access: options.access,
      body: modelSource()
    )
    return composites + [model]
  }

  private func modelSource() -> String {
    let types = document.model.entities.map { "    \(classes[$0.name]).self,\n" }.joined()
    let templates = document.model.fetchRequestTemplates.map {
      "        \(TemplateSource.text(of: $0)),\n"
    }
    let configurations = document.model.configurations.map { name in
      let members = document.model.entities(forConfiguration: name)?.map(\.name) ?? []
      return "        \(SwiftLiteral.string(name)): \(SwiftLiteral.strings(members)),\n"
    }
    var arguments = ["      entities: entities.map { $0.entity }"]
    if !templates.isEmpty {
      arguments.append("      fetchRequestTemplates: [\n\(templates.joined())      ]")
    }
    if !configurations.isEmpty {
      arguments.append("      configurations: [\n\(configurations.joined())      ]")
    }
    return """
      /// The model '\(SwiftLiteral.comment(document.name))'.
      \(access)nonisolated enum \(modelType) {
        /// The classes of its entities.
        \(access)static let entities: [any ManagedEntity.Type] = [
      \(types)  ]

        /// The entities, with fetch requests and configurations.
        \(access)static func model() throws(PerennialError) -> ManagedObjectModel {
          try ManagedObjectModel(
      \(arguments.joined(separator: ",\n"))
          )
        }
      }

      """
  }
}

extension ModelDocument {
  /// The model as Swift source: classes with `@Managed`, which give the same model.
  ///
  /// ```swift
  /// let source = try ModelDocument(contentsOf: url).swiftSource()
  /// for file in source.files { print(file.name) }
  /// ```
  ///
  /// A property is optional where the model says so. A class has the name that the model gives it, or else the
  /// entity's. A name that would not compile is changed in the source, which a note says; the model keeps it.
  ///
  /// - Parameters:
  ///   - name: The model's name; `nil` for the name of this version.
  ///   - options: How source is generated. Without this argument, the whole class of every entity is written.
  /// - Returns: The files, with warnings and notes.
  public func swiftSource(
    named name: String? = nil,
    options: SwiftOptions = SwiftOptions(codeGeneration: .classDefinition)
  ) -> SwiftSource {
    var generator = SwiftGenerator(self, named: name ?? self.name, options)
    return generator.source()
  }

  /// The source that is edited by hand.
  ///
  /// For an entity for which the build generates nothing (`codeGenerationType` "none") this is the whole class,
  /// for one whose properties are generated ("category") an empty subclass.
  ///
  /// - Parameters:
  ///   - name: The model's name; `nil` for the name of this version.
  ///   - options: How source is generated.
  /// - Returns: The files, all of them ``SwiftFile/Part/human``, with warnings and notes.
  public func handwrittenSource(
    named name: String? = nil,
    options: SwiftOptions = SwiftOptions()
  ) -> SwiftSource {
    var generator = SwiftGenerator(self, named: name ?? self.name, options)
    return generator.handwrittenSource()
  }
}
