// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Reads archived `NSEntityDescription`s, and collects what is left out.
struct CompiledEntityReader {
  /// The bit of an attribute's flags that stands for external storage.
  let externalBit: Int64
  private(set) var notes: [ModelDiagnostic] = []

  init(externalBit: Int64) { self.externalBit = externalBit }

  mutating func note(_ message: String) { notes.append(ModelDiagnostic(line: 0, message)) }

  /// What an archive says of an entity; `nil` when it has no name.
  mutating func entity(_ value: ArchivedValue) throws(PerennialError) -> EntityDescription? {
    guard let name = value["NSEntityName"]?.string else { return nil }
    let superentity = value["NSSuperentity"]
    var entity = EntityDescription(
      name,
      parent: superentity?["NSEntityName"]?.string,
      isAbstract: value.isTrue("NSIsAbstract"),
      uniqueness: Self.lists(value["NSUniqueTuples"]),
      properties: []
    )
    entity.versionHashModifier = value["NSVersionHashModifier"]?.string
    entity.renamingIdentifier = Self.renamingIdentifier(value, of: name)
    entity.userInfo = Self.userInfo(value)
    // An archive lists inherited properties, too: as copies, or as proxies.
    let inherited = Set(superentity?["NSProperties"]?.entries.map(\.key) ?? [])
    let properties = value.entries("NSProperties")
      .filter { !inherited.contains($0.key) }.sorted { $0.key < $1.key }
    var indexed: [[String]] = []
    for (key, value) in properties {
      let property = Self.underlying(value)
      switch property.className {
      case let type where type.hasSuffix("RelationshipDescription"):
        if let relationship = try relationship(property, named: key, of: name) {
          entity.properties.append(.relationship(relationship))
        }
      case let type where type.hasSuffix("FetchedPropertyDescription"):
        if let request = property["NSFetchRequest"], let template = template(request, named: key) {
          entity.fetchedProperties.append(
            FetchedPropertyDescription(key, fetchRequest: template)
          )
        } else {
          note("'\(name).\(key)': a fetched property without a fetch request is left out")
        }
      case let type where type.hasSuffix("AttributeDescription"):
        var reader = ArchivedAttribute(owner: name, externalBit: externalBit)
        entity.properties.append(.attribute(try reader.attribute(property, named: key)))
        for message in reader.notes { note(message) }
        if property.isTrue("NSIsIndexed") { indexed.append([key]) }
      // An empty place in a table of known keys.
      case "": break
      case let type:
        note("'\(name).\(key)': a property of the class '\(type)' is left out")
      }
    }
    readIndexes(value, of: &entity, indexed + Self.lists(value["NSCompoundIndexes"]))
    return entity
  }

  /// The property behind a proxy.
  private static func underlying(_ value: ArchivedValue) -> ArchivedValue {
    var value = value
    for _ in 0..<8 {
      guard let next = value["NSUnderlyingProperty"] else { break }
      value = next
    }
    return value
  }

  /// The name in an earlier version: every archived description has one, mostly its own.
  static func renamingIdentifier(_ value: ArchivedValue, of name: String) -> String? {
    value["NSRenamingIdentifier"]?.string.flatMap { $0 == name || $0.isEmpty ? nil : $0 }
  }

  static func userInfo(_ value: ArchivedValue) -> [String: String] {
    let entries = value.entries("NSUserInfo")
    return Dictionary(
      entries.compactMap { entry in entry.value.string.map { (entry.key, $0) } }
    ) { first, _ in first }
  }

  /// Lists of names of properties.
  private static func lists(_ value: ArchivedValue?) -> [[String]] {
    (value?.elements ?? []).map { list in
      list.elements.compactMap { $0.string ?? $0["NSPropertyName"]?.string }
    }.filter { !$0.isEmpty }
  }

  private mutating func relationship(
    _ value: ArchivedValue,
    named name: String,
    of owner: String
  ) throws(PerennialError) -> RelationshipDescription? {
    let destination =
      value["NSDestinationEntity"]?["NSEntityName"]?.string
      ?? value["_NSDestinationEntityName"]?.string
    guard let destination else {
      throw .invalidModel(
        "'\(owner).\(name)' does not say where it leads to.",
        "give it a destination",
        entity: owner,
        property: name
      )
    }
    let isTransient = value.isTrue("NSIsTransient")
    if isTransient {
      let inverse = value["NSInverseRelationship"].map(Self.underlying)
      guard let inverse, inverse["NSIsTransient"]?.isTrue != true else {
        note("'\(owner).\(name)': it is transient, which relationships cannot be, and is left out")
        return nil
      }
      note("'\(owner).\(name)': its inverse is stored, and so is it; 'transient' is left out")
    }
    let maximum = Self.count(value["NSMaxCount"])
    var relationship = RelationshipDescription(
      name,
      to: destination,
      inverse: value["NSInverseRelationship"].map(Self.underlying)?["NSPropertyName"]?.string
        ?? value["_NSInverseRelationshipName"]?.string,
      isToMany: maximum != 1,
      isOrdered: value.isTrue("NSIsOrdered"),
      deleteRule: value["NSDeleteRule"]?.integer.flatMap { DeleteRule(rawValue: Int($0)) }
        ?? .noAction,
      isOptional: value.isTrue("NSIsOptional"),
      minimumCount: max(0, Self.count(value["NSMinCount"])),
      maximumCount: maximum
    )
    relationship.infersInverse = false
    relationship.isHalfTransient = isTransient
    relationship.renamingIdentifier = Self.renamingIdentifier(value, of: name)
    relationship.versionHashModifier = value["NSVersionHashModifier"]?.string
    relationship.userInfo = Self.userInfo(value)
    relationship.validation = conditions(value, of: "\(owner).\(name)")
    return relationship
  }

  /// A number of objects: one that is not archived is 0; all below it stand for no limit.
  private static func count(_ value: ArchivedValue?) -> Int {
    max(-1, Int(Int32(clamping: value?.integer ?? 0)))
  }

  /// The conditions on a value that are archived with a property.
  private mutating func conditions(_ value: ArchivedValue, of name: String) -> [ValidationPredicate]
  {
    let messages = value.list("NSValidationWarnings")
    let predicates = value.list("NSValidationPredicates")
    return predicates.enumerated().compactMap { index, predicate in
      guard let text = ArchivedPredicate.text(predicate) else {
        note("'\(name)': a condition of its validation is left out")
        return nil
      }
      let message = messages.indices.contains(index) ? messages[index].string : nil
      return ValidationPredicate(text, message: message ?? "")
    }
  }

  // MARK: Indexes and fetch requests

  private mutating func readIndexes(
    _ value: ArchivedValue,
    of entity: inout EntityDescription,
    _ old: [[String]]
  ) {
    for index in value.list("NSFetchIndexDescriptions") {
      guard let name = index["NSIndexName"]?.string else { continue }
      var elements: [FetchIndexDescription.Element] = []
      for element in index.list("NSIndexElements") {
        guard let property = element["NSPropertyName"]?.string else {
          note("the index '\(name)' of '\(entity.name)': an expression is left out")
          continue
        }
        if let type = element["NSFetchIndexElementType"]?.integer, type != 0 {
          note("the index '\(name)' of '\(entity.name)': it is made an ordinary one")
        }
        let isAscending = element.isTrue("NSAscending")
        elements.append(.init(property, isAscending: isAscending))
      }
      var description = FetchIndexDescription(name, elements: elements)
      if let condition = index["NSPartialIndexPredicate"] {
        description.partialIndexPredicate = ArchivedPredicate.text(condition)
        if description.partialIndexPredicate == nil {
          note("the index '\(name)' of '\(entity.name)': its condition is left out")
        }
      }
      if !elements.isEmpty { entity.indexes.append(description) }
    }
    // The old forms are archived beside the new one, for older frameworks.
    let known = Set(entity.indexes.map { $0.elements.map(\.property) })
    entity.indexes += old.filter { !known.contains($0) }.map { FetchIndexDescription($0) }
  }

  /// A fetch request of a model or of a fetched property; `nil` when it says nothing of an entity.
  mutating func template(_ value: ArchivedValue, named name: String) -> FetchRequestTemplate? {
    let entity = value["NSEntity"]?["NSEntityName"]?.string ?? value["NSEntityName"]?.string
    guard let entity else {
      note("the fetch request '\(name)' does not say what it fetches, and is left out")
      return nil
    }
    var text: String?
    if let predicate = value["NSPredicate"] {
      text = ArchivedPredicate.text(predicate)
      guard text != nil else {
        note("the fetch request '\(name)' has a condition that is unknown, and is left out")
        return nil
      }
    }
    if value["NSSortDescriptors"] != nil {
      note("the fetch request '\(name)': its order is left out")
    }
    return FetchRequestTemplate(
      name,
      entity: entity,
      predicate: text,
      fetchLimit: Int(clamping: max(0, value.integer("NSFetchLimit")))
    )
  }
}
