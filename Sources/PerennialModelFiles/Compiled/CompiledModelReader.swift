// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// Reads models as Core Data archives them: compiled `.mom` files, and what its stores keep of their models
/// (FORMAT 2.1).
///
/// What an archive has and Perennial does not is told in the document's diagnostics; the order of
/// properties is not kept in an archive, so that they come by name.
package struct CompiledModelReader {
  /// The model's name, for errors.
  private let name: String

  private let visitLimit: Int

  package init(named name: String) { self.init(named: name, visitLimit: KeyedArchive.visitLimit) }

  init(named name: String, visitLimit: Int) {
    self.name = name
    self.visitLimit = visitLimit
  }

  /// The model of an archive, and what the archive says besides.
  ///
  /// - Parameters:
  ///   - data: A binary property list of `NSKeyedArchiver`.
  ///   - hashes: The version hashes of its entities, where they are known.
  /// - Returns: The model.
  /// - Throws: `invalidModel` (134020): what is wrong.
  package func document(
    _ data: Data,
    hashes: [String: Data]? = nil
  ) throws(PerennialError) -> ModelDocument {
    let archive: KeyedArchive
    do throws(BinaryPropertyList.Failure) {
      archive = try KeyedArchive(data, visitLimit: visitLimit)
    } catch {
      throw unreadable(error.reason)
    }
    let root = archive.root
    guard root.className.hasSuffix("ManagedObjectModel"), let entities = root["NSEntities"] else {
      throw unreadable("it is an archive of something else")
    }
    do throws(PerennialError) {
      return try document(root, entities, hashes)
    } catch {
      throw root.isExhausted ? tooLarge : error
    }
  }

  private var tooLarge: PerennialError {
    unreadable("its objects share others, and stand for too many")
  }

  private func document(
    _ root: ArchivedValue,
    _ entities: ArchivedValue,
    _ hashes: [String: Data]?
  ) throws(PerennialError) -> ModelDocument {
    let bits = ArchivedAttribute.externalBits(in: entities)
    guard let hashes else {
      return try document(root, entities, externalBit: bits[0], isGuess: bits.count > 1)
    }
    // The bit that explains the most hashes is the right one.
    var best: (document: ModelDocument, differences: Int)?
    for bit in bits {
      let document = try document(root, entities, externalBit: bit)
      let known = document.model.entityVersionHashesByName
      let differences = hashes.count { known[$0.key] != $0.value }
      if differences < best?.differences ?? .max { best = (document, differences) }
      if differences == 0 { break }
    }
    guard let best else { throw unreadable("it cannot be understood") }
    return best.document
  }

  private func unreadable(_ reason: String) -> PerennialError {
    .invalidModel(
      "The compiled model '\(name)' cannot be read: \(reason).",
      "give the '.xcdatamodeld' that it was made of"
    )
  }

  private func document(
    _ root: ArchivedValue,
    _ entities: ArchivedValue,
    externalBit: Int64,
    isGuess: Bool = false
  ) throws(PerennialError) -> ModelDocument {
    var reader = CompiledEntityReader(externalBit: externalBit)
    if isGuess {
      reader.note(
        "which attributes may lie in files is a guess, as there is no 'VersionInfo.plist'"
      )
    }
    var descriptions: [EntityDescription] = []
    var classes: [String: ModelClass] = [:]
    for (key, value) in entities.entries.sorted(by: { $0.key < $1.key })
    where value.className.hasSuffix("EntityDescription") {
      guard let entity = try reader.entity(value) else {
        throw unreadable("its entity '\(key)' has no name")
      }
      descriptions.append(entity)
      let type = value["NSClassNameForEntity"]?.string
      classes[entity.name] = ModelClass(
        name: type == "NSManagedObject" ? nil : type,
        codeGeneration: .manual
      )
    }
    guard !descriptions.isEmpty else { throw unreadable("it has no entities") }
    var templates: [FetchRequestTemplate] = []
    for (name, value) in root.entries("NSFetchRequestTemplates") {
      if let template = reader.template(value, named: name) { templates.append(template) }
    }
    var configurations: [String: [String]] = [:]
    for (name, members) in root.entries("NSConfigurations") {
      configurations[name] = members.elements.compactMap { $0["NSEntityName"]?.string }
    }
    // What was left out for want of visits must not be taken for a model.
    if root.isExhausted { throw tooLarge }
    try InheritanceCheck.check(descriptions)
    let parts = UnusableParts(
      entities: descriptions,
      templates: templates.sorted { $0.name < $1.name },
      configurations: configurations
    )
    let model = try ManagedObjectModel(
      entities: parts.entities,
      fetchRequestTemplates: parts.templates,
      configurations: parts.configurations
    )
    let notes =
      reader.notes + parts.notes + MissingInverses.notes(in: model) + WrongTexts.notes(in: model)
    return ModelDocument(
      name: name,
      model: model,
      versionIdentifiers: root.list("NSVersionIdentifiers").compactMap(\.string)
        .sorted(),
      classes: classes,
      diagnostics: notes.sorted { $0.message < $1.message }
    )
  }
}
