// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The names of the classes of a model's entities.
struct ClassNames {
  /// By the names of the entities.
  private(set) var byEntity: [String: String] = [:]
  /// The names of the base classes that are generated, of entities whose class is written by hand.
  private(set) var bases: [String: String] = [:]
  /// The names of the composite types by their elements.
  private(set) var composites: [[AttributeDescription]: String] = [:]
  private(set) var notes: [ModelDiagnostic] = []
  /// The names given so far; upper and lower case do not count, since files are named after them.
  private var taken: Set<String> = []

  init(_ document: ModelDocument, _ options: SwiftOptions) {
    let entities = document.model.entities
    // The names that nobody has to change come first, so that no other one takes them.
    let wanted = entities.map { ($0.name, Self.wantedName(of: $0, in: document)) }
    for (entity, name) in wanted where SwiftName.canNameClass(name) {
      if taken.insert(name.lowercased()).inserted { byEntity[entity] = name }
    }
    for (entity, name) in wanted where byEntity[entity] == nil {
      byEntity[entity] = unique(entity, orAfter: SwiftName.name(of: name, isCapital: true))
      note(entity, name, document)
    }
    for entity in entities
    where document.codeGeneration(of: entity.name, options) == .categoryExtension {
      bases[entity.name] = unique("_" + self[entity.name], orAfter: "_" + self[entity.name])
    }
    let found = CompositeSource.all(in: document.model, named: document.compositeNames)
    let sorted = found.map { (elements: $0.key, name: $0.value) }.sorted {
      ($0.name, $0.elements.map(\.name).joined()) < ($1.name, $1.elements.map(\.name).joined())
    }
    for (elements, wanted) in sorted {
      let name = SwiftName.name(of: wanted, isCapital: true)
      composites[elements] = unique(name, orAfter: name)
    }
  }

  /// The class of an entity.
  subscript(entity: String) -> String { byEntity[entity] ?? entity }

  /// All names, which no property may have.
  var all: Set<String> {
    Set(byEntity.values).union(bases.values).union(composites.values)
  }

  /// The name that the model gives: without its module, and none for `NSManagedObject`.
  private static func wantedName(of entity: EntityDescription, in document: ModelDocument) -> String
  {
    guard let name = document.classes[entity.name]?.name else { return entity.name }
    let last = name.split(separator: ".").last.map(String.init) ?? entity.name
    return last == "NSManagedObject" ? entity.name : last
  }

  private mutating func unique(_ first: String, orAfter second: String) -> String {
    let numbered = (2...).lazy.map { "\(second)Object\($0)" }
    let candidates = [first, second, "\(second)Object"].lazy.filter(SwiftName.canNameClass)
    if let name = candidates.first(where: { !taken.contains($0.lowercased()) })
      ?? numbered.first(where: { !taken.contains($0.lowercased()) })
    {
      taken.insert(name.lowercased())
      return name
    }
    return second
  }

  private mutating func note(_ entity: String, _ wanted: String, _ document: ModelDocument) {
    guard self[entity] != entity || wanted != entity else { return }
    let reason =
      SwiftName.canNameClass(wanted)
      ? "another class is called '\(wanted)'"
      : "'\(wanted)' cannot be its name"
    notes.append(
      ModelDiagnostic(
        line: document.places[entity] ?? 1,
        "the class of '\(entity)' is called '\(self[entity])', because \(reason)"
      )
    )
  }
}

extension ModelDocument {
  /// What is generated for an entity.
  func codeGeneration(of entity: String, _ options: SwiftOptions) -> CodeGeneration {
    options.codeGeneration ?? classes[entity]?.codeGeneration ?? .classDefinition
  }
}
